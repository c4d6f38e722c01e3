// A backoff and a PodConfig as kubelet 1.37 has them, for you to replace by your own,
// behind the driver protocol. Judge it: pytest --podsource-impl="cmd:node adapter.js"
import { writeSync } from "node:fs";
import { createInterface } from "node:readline";
import { isDeepStrictEqual as equal } from "node:util";

const OFFER = {
  protocol: 1, name: "my-adapter", version: "0.1.0", language: "node", kubelet: "1.37",
  components: ["backoff", "podconfig"], features: ["nil-and-empty"],
  abilities: { time: "virtual", watch: "told", http: "told" },
};
const OWN = ["source", "mirror", "seen"].map((each) => `kubernetes.io/config.${each}`);
const TAKEN = ["labels", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"];
const OPERATIONS = ["REMOVE", "ADD", "UPDATE", "DELETE", "RECONCILE"];

let now = 0, wall = 0n, parts = {}; // one world: nanoseconds, and its objects
const pick = (from, test) => Object.fromEntries(Object.entries(from ?? {}).filter(([key]) => test(key)));
const say = (message) => writeSync(1, JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n");
const tell = (method, params) => say({ method, params: { ...params, at_ns: now } });

class Backoff {
  entries = new Map(); // id: [delay, when next was called]
  constructor(config) {
    this.config = config;
    this.expires = config.expires_after_ns ?? 2 * config.max_ns;
  }
  alive(id, event) { return this.entries.has(id) && event - this.entries.get(id)[1] <= this.expires; }
  next({ id, event_ns }) {
    const alive = this.alive(id, event_ns), last = alive ? this.get({ id }) : this.config.initial_ns;
    const extra = Math.floor(Math.random() * this.config.jitter_factor * last);
    this.entries.set(id, [alive ? Math.min(2 * last + extra, this.config.max_ns) : last + extra, now]);
  }
  get({ id }) { return this.entries.get(id)?.[0] ?? 0; }
  reset({ id }) { this.entries.delete(id); }
  delete_entry({ id }) { this.entries.delete(id); }
  gc() { for (const id of this.entries.keys()) if (!this.alive(id, now)) this.entries.delete(id); }
  is_in_backoff_since({ id, event_ns }) { return this.alive(id, event_ns) && now - event_ns < this.get({ id }); }
  is_in_backoff_since_update({ id, event_ns }) {
    return this.alive(id, event_ns) && event_ns - this.entries.get(id)[1] < this.get({ id });
  }
}

const compared = (pod) => [pod.spec ?? {}, TAKEN.slice(0, 3).map((key) => pod.metadata[key]),
  pick(pod.metadata.annotations, (key) => !OWN.includes(key))];
const stamp = (ns) => `${new Date(Number(ns / 1000000n)).toISOString().slice(0, 19)}.${String(ns % 1000000000n).padStart(9, "0")}Z`;

class PodConfig {
  pods = new Map(); // source: its pods by UID, once it has sent a set
  constructor(config) { this.sources = new Set(config.sources); }
  channel({ source }) {
    if (!source) throw new Error("a source needs a name");
    this.sources.add(source);
  }
  seen_all_sources({ seen }) { return [...this.sources].every((each) => seen.includes(each) && this.pods.has(each)); }
  send({ source, pods }) {
    const before = this.pods.get(source) ?? new Map(), after = new Map(), names = new Set();
    const changes = Object.fromEntries(OPERATIONS.map((op) => [op, []]));
    for (const pod of pods) {
      const { name, namespace, uid } = pod.metadata, full = `${name}_${namespace}`;
      if (names.has(full)) {
        tell("env/event", { pod, type: "Warning", reason: "FailedValidation", message: `another ${full}` });
        continue;
      }
      names.add(full);
      pod.metadata.annotations = { ...pod.metadata.annotations, [OWN[0]]: source };
      const old = before.get(uid);
      after.set(uid, old ?? pod);
      if (!old) {
        pod.metadata.annotations[OWN[2]] = stamp(wall + BigInt(now));
        changes.ADD.push(pod);
      } else if (!equal(compared(old), compared(pod))) {
        const annotations = { ...pod.metadata.annotations, ...pick(old.metadata.annotations, (key) => OWN.includes(key)) };
        const kept = pick(old.metadata, (key) => !TAKEN.includes(key));
        old.metadata = { ...kept, ...pick(pod.metadata, (key) => TAKEN.includes(key)), annotations };
        [old.spec, old.status] = [pod.spec, pod.status];
        changes[pod.metadata.deletionTimestamp ? "DELETE" : "UPDATE"].push(old);
      } else if (!equal(old.status ?? {}, pod.status ?? {})) {
        old.status = pod.status;
        changes.RECONCILE.push(old);
      }
    }
    changes.REMOVE = [...before].filter(([uid]) => !after.has(uid)).map(([, pod]) => pod);
    const signal = !this.pods.has(source) && !changes.ADD.length && !changes.UPDATE.length && !changes.DELETE.length;
    this.pods.set(source, after);
    for (const op of OPERATIONS)
      if (changes[op].length || (signal && op === "ADD")) tell("env/send", { source, op, pods: changes[op] });
  }
}

const NEW = { backoff: Backoff, podconfig: PodConfig };
// Next: file and http, with start() and stop(). Keep timers in a heap that clock/advance runs;
// ask by env/watch and env/fetch, hear files/event and http/reply, send by env/send.
const WORDS = {
  initialize: () => OFFER,
  "world/begin": ({ wall_ns }) => { [now, wall, parts] = [0, BigInt(wall_ns), {}]; },
  "component/new": ({ component, config }) => { parts[component] = new NEW[component](config); },
  "component/call": ({ component, method, arguments: given }) => ({ value: parts[component][method](given) ?? null }),
  "component/send": (params) => { parts.podconfig.send(params); tell("update/taken", { send_id: params.send_id }); },
  "clock/advance": ({ to_ns }) => ({ now_ns: (now = to_ns) }),
  "clock/jump": ({ by_ns }) => { wall += BigInt(by_ns); },
  settle: () => ({ now_ns: now }),
  "world/end": () => ({}), shutdown: () => ({}),
};

for await (const line of createInterface({ input: process.stdin })) { // times of the wall outgrow a double
  const { id, method, params } = JSON.parse(line.replace(/"(wall_ns|by_ns)":(-?\d+)/, '"$1":"$2"'));
  try {
    const word = WORDS[method];
    say(word ? { id, result: word(params) ?? {} } : { id, error: { code: -32601, message: `unknown method ${method}` } });
  } catch (error) {
    say({ id, error: { code: 2, message: String(error), data: { error: String(error), trace: error.stack } } });
  }
  if (method === "shutdown") process.exit();
}
