// A file source with chokidar, as a user of it would write one, behind the driver protocol.
// It watches by itself and in real time, so it runs in the real world:
//   npm install && pytest podsource/file --podsource-impl="cmd:node adapter.js" \
//     --podsource-world=real --podsource-time=real
import { createHash } from "node:crypto";
import { existsSync, readFileSync, readdirSync, statSync, writeSync } from "node:fs";
import { basename, join } from "node:path";
import { createInterface } from "node:readline";
import chokidar from "chokidar";
import { parseAllDocuments } from "yaml";

const OFFER = {
  protocol: 1, name: "chokidar-source", version: "0.1.0", language: "node", kubelet: null,
  components: ["file"], features: [],
  abilities: { time: "real", watch: "native", http: "loopback" },
};

class FileSource {
  constructor({ path, node_name, period_ns }) {
    Object.assign(this, { path, node: node_name, period: period_ns / 1e6, changed: false });
  }
  async start() {
    this.timer = setInterval(() => { this.changed = true; }, this.period);
    this.changed = true;
    this.watcher = chokidar.watch(this.path, { ignoreInitial: true, depth: 0 });
    this.watcher.on("all", () => { this.changed = true; });
    await new Promise((ready) => this.watcher.once("ready", ready));
  }
  async stop() {
    clearInterval(this.timer);
    await this.watcher?.close();
  }
  list() {
    if (!existsSync(this.path)) return [];
    const files = statSync(this.path).isFile() ? [this.path] : readdirSync(this.path).sort().map((name) => join(this.path, name));
    return files.filter((file) => !basename(file).startsWith(".") && statSync(file).isFile())
      .map((file) => this.pod(file)).filter((pod) => pod !== null);
  }
  pod(file) {
    const text = readFileSync(file, "utf8");
    try {
      const pod = parseAllDocuments(text)[0]?.toJS();
      if (pod?.kind !== "Pod") return null;
      const { kind, apiVersion, ...rest } = pod;
      const uid = pod.metadata.uid ?? createHash("md5").update(text + file).digest("hex");
      return { ...rest, metadata: { namespace: "default", ...pod.metadata, uid, name: `${pod.metadata.name}-${this.node}` } };
    } catch { return null; }
  }
}

let source, begun;
const now = () => Number(process.hrtime.bigint() - begun);
const say = (message) => writeSync(1, JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
// What the source has noticed is told while a request of the suite's is worked on, never between.
const flush = () => {
  if (!source?.changed) return;
  source.changed = false;
  say({ method: "env/send", params: { source: "file", op: "SET", pods: source.list(), at_ns: now() } });
};
const WORDS = {
  initialize: () => OFFER,
  "world/begin": () => { source = undefined; begun = process.hrtime.bigint(); },
  "world/end": async () => { await source?.stop(); source = undefined; },
  "component/new": ({ config }) => { source = new FileSource(config); },
  "component/call": async ({ method }) => { await source[method](); return { value: null }; },
  settle: () => { flush(); return { now_ns: now() }; },
  "clock/advance": () => { flush(); return { now_ns: now() }; },
  "clock/jump": () => ({}), shutdown: () => ({}),
};
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  try {
    if (id !== undefined) say({ id, result: (await WORDS[method](params)) ?? {} });
  } catch (error) {
    say({ id, error: { code: 2, message: String(error), data: { error: String(error), trace: error.stack } } });
  }
  if (method === "shutdown") process.exit();
}
