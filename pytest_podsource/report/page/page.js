"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const index = JSON.parse(byId("index").textContent);
  let read = null;
  const details = () => (read ??= JSON.parse(byId("details").textContent));
  const BAD = new Set(["failed", "crashed", "timeout", "setup failed", "harness error"]);
  const SIGNS = { passed: "✓", failed: "✗", crashed: "✗", timeout: "✗", known: "!", "setup failed": "!", "harness error": "!" };
  const count = index.runs.length;
  const AT_ONCE = Math.max(15, Math.min(80, Math.floor(2400 / (count + 4))));
  const words = index.ids.map((id, at) => `${id} ${index.titles[at]}`.toLowerCase());
  let shown = [];

  function make(name, attributes = {}, text = "") {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== "") node.textContent = text;
    return node;
  }
  function draw(name, attributes = {}, text = "") {
    const node = document.createElementNS("http://www.w3.org/2000/svg", name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== "") node.textContent = text;
    return node;
  }
  const verdict = (run, at) => index.verdicts[index.cells[run][at]] ?? "";
  function looks(word) {
    if (BAD.has(word)) return "bad";
    if (word === "known") return "odd";
    return word === "passed" ? "good" : "quiet";
  }

  // the matrix
  const body = byId("cases").tBodies[0];
  function row(at) {
    const line = make("tr");
    const head = make("th", { scope: "row" });
    head.append(make("button", { type: "button", "data-at": at, title: index.titles[at] }, index.ids[at]));
    line.append(head);
    for (let run = 0; run < count; run++) {
      const word = verdict(run, at);
      line.append(make("td", { class: looks(word) }, word ? `${SIGNS[word] ?? "–"} ${word}` : "not run"));
    }
    return line;
  }
  function more() {
    const from = body.rows.length;
    const rows = document.createDocumentFragment();
    for (const at of shown.slice(from, from + AT_ONCE)) rows.append(row(at));
    body.append(rows);
    byId("end").textContent = body.rows.length < shown.length ? "More when you scroll here." : "";
    return body.rows.length > from;
  }
  function matches(at) {
    const component = byId("component").value;
    const wanted = byId("show").value;
    const id = index.ids[at].replace(/^own\//, "");
    if (component && !id.startsWith(`${component}/`)) return false;
    const seen = index.cells.map((_, run) => verdict(run, at)).filter(Boolean);
    if (wanted === "!bad" && !seen.some((word) => BAD.has(word))) return false;
    if (wanted === "!differ" && new Set(seen).size < 2) return false;
    if (wanted && wanted[0] !== "!" && !seen.includes(wanted)) return false;
    const asked = byId("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!asked.length) return true;
    const facts = asked.some((word) => /^[a-z]+-\d/.test(word)) ? details().about[at][0].join(" ").toLowerCase() : "";
    return asked.every((word) => words[at].includes(word) || facts.includes(word));
  }
  function filter() {
    shown = index.ids.map((_, at) => at).filter(matches);
    body.replaceChildren();
    byId("count").textContent = `${shown.length} of ${index.ids.length} cases`;
    more();
  }

  // one case
  const dialog = byId("case");
  let open = 0;
  function show(at) {
    open = at;
    byId("case-id").textContent = index.ids[at];
    byId("case-title").textContent = index.titles[at];
    const choice = byId("case-run");
    choice.replaceChildren();
    let first = -1;
    index.runs.forEach((name, run) => {
      const word = verdict(run, at);
      choice.append(make("option", { value: run }, `${name}: ${word || "not run"}`));
      if (first < 0 && BAD.has(word)) first = run;
    });
    choice.value = String(Math.max(first, 0));
    showRun();
    if (!dialog.open) dialog.showModal();
  }
  function showRun() {
    const run = Number(byId("case-run").value);
    const { texts, timelines, cells, about, facts, reports } = details();
    const at = byId("case-body");
    at.replaceChildren();
    const cell = cells[run][open];
    if (cell) {
      const [timeline, reason, ms] = cell;
      at.append(make("p", { class: looks(verdict(run, open)) }, `${verdict(run, open)}, ${ms} ms. ${texts[reason]}`));
      const moments = timelines[timeline].map(([step, ns, done, expected, got, times, parts]) => ({
        step, ns, done: texts[done], parts, times: times || [],
        expected: expected.map((number) => texts[number]),
        got: (got || expected).map((number) => texts[number]),
      }));
      if (moments.length) {
        at.append(make("h3", {}, "Timeline"), wide(timelineOf(moments), "Timeline"));
        const curve = curveOf(moments);
        if (curve) at.append(make("h3", {}, "Backoff: the delay before each attempt"), wide(curve, "Backoff curve"));
      }
    }
    const [factIds, reportIds, versions] = about[open];
    at.append(make("h3", {}, "Rules of the kubelet"), make("p", { class: "note" }, versions ? `Kubelets ${versions}.` : "All kubelets."));
    const rules = make("ul");
    for (const id of factIds) {
      const [rule, from, holds] = facts[id] ?? ["", "", ""];
      rules.append(make("li", {}, rule ? `${id}: ${rule} (${from}; ${holds}).` : id));
    }
    for (const id of reportIds) {
      const [source, symptom] = reports[id] ?? ["", ""];
      rules.append(make("li", {}, symptom ? `Met by ${source}: ${symptom}` : id));
    }
    at.append(rules, make("p", {}, `As a script: podsource reproduce ${index.ids[open]}`));
  }
  function wide(picture, label) {
    const box = make("div", { class: "wide", tabindex: "0", role: "region", "aria-label": label });
    box.append(picture);
    return box;
  }
  const AT = / at (\d+(?:\.\d+)?) s$/;
  const seconds = (ns) => `${+(ns / 1e9).toFixed(9)} s`;
  const fit = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

  // columns are the instants at which something happened: steps above, lines below
  function timelineOf(moments) {
    const columns = new Map();
    const column = (ns) => {
      if (!columns.has(ns)) columns.set(ns, { steps: [], expected: [], got: [] });
      return columns.get(ns);
    };
    for (const moment of moments) {
      column(moment.ns).steps.push(`${moment.step}. ${moment.done}`);
      for (const side of ["expected", "got"]) {
        moment[side].forEach((line, at) => {
          if (line === "") return;
          const said = AT.exec(line);
          const told = side === "got" ? moment.times[at] : null;
          const ns = said ? Number(said[1]) * 1e9 : (told ?? moment.ns);
          column(ns)[side].push({ text: line.replace(AT, ""), bad: at === moment.parts });
        });
      }
    }
    const order = [...columns.keys()].sort((a, b) => a - b);
    const all = order.map((ns) => columns.get(ns));
    const most = (side) => Math.min(8, Math.max(1, ...all.map((each) => each[side].length)));
    const heights = { steps: most("steps") * 18, expected: most("expected") * 24, got: most("got") * 24 };
    const top = { steps: 8, axis: 8 + heights.steps + 18 };
    top.expected = top.axis + 30;
    top.got = top.expected + heights.expected + 10;
    const widths = all.map((each) => {
      const lengths = [...each.steps, ...each.expected.map((e) => e.text), ...each.got.map((e) => e.text)].map((text) => Math.min(text.length, 44));
      return Math.max(10, ...lengths) * 7.4 + 22;
    });
    const left = 84;
    const width = left + widths.reduce((a, b) => a + b, 0) + 8;
    const height = top.got + heights.got + 10;
    const picture = draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
    picture.append(draw("title", {}, `${moments.length} steps; expected above, got below`));
    for (const side of ["expected", "got"]) {
      picture.append(draw("rect", { class: "lane", x: 0, y: top[side] - 3, width, height: heights[side] + 4 }));
      picture.append(draw("text", { class: "quiet", x: 4, y: top[side] + 14 }, side));
    }
    picture.append(draw("text", { class: "quiet", x: 4, y: top.steps + 12 }, "steps"), draw("line", { class: "axis", x1: left, x2: width, y1: top.axis, y2: top.axis }));
    let x = left;
    all.forEach((each, number) => {
      each.steps.slice(0, 8).forEach((text, at) => picture.append(titled("text", { x, y: top.steps + 12 + at * 18 }, text)));
      picture.append(draw("circle", { cx: x + 4, cy: top.axis, r: 4, class: "box" }));
      picture.append(draw("text", { class: "quiet", x, y: top.axis + 18 }, seconds(order[number])));
      for (const side of ["expected", "got"]) {
        each[side].slice(0, 8).forEach((line, at) => {
          const y = top[side] + at * 24;
          const hidden = at === 7 && each[side].length > 8 ? `and ${each[side].length - 7} more` : "";
          picture.append(draw("rect", { class: line.bad ? "box bad" : "box", x: x - 3, y, width: widths[number] - 10, height: 20, rx: 3 }));
          picture.append(titled("text", { x: x + 2, y: y + 14, class: line.bad ? "bad" : "" }, hidden || (line.bad ? `✗ ${line.text}` : line.text)));
        });
      }
      x += widths[number];
    });
    return picture;
  }
  function titled(name, attributes, text) {
    const node = draw(name, attributes, fit(text, 44));
    if (text.length > 44) node.append(draw("title", {}, text));
    return node;
  }

  // delays: what Backoff.get returned, or the time between two attempts
  function delaysOf(lines) {
    const returned = lines.map((line) => /^return(?:s|ed) (\d+(?:\.\d+)?) s$/.exec(line)).filter(Boolean).map((found) => Number(found[1]));
    if (returned.length > 2) return returned;
    const at = lines.filter((line) => /^(watch|GET)\b/.test(line)).map((line) => AT.exec(line)).filter(Boolean).map((found) => Number(found[1]));
    return at.slice(1).map((time, number) => time - at[number]);
  }
  function curveOf(moments) {
    const sides = { expected: delaysOf(moments.flatMap((m) => m.expected)), got: delaysOf(moments.flatMap((m) => m.got)) };
    const longest = Math.max(sides.expected.length, sides.got.length);
    if (longest < 3) return null;
    const highest = Math.max(...sides.expected, ...sides.got, 1e-9);
    const step = Math.max(16, Math.min(60, 700 / longest));
    const width = 70 + longest * step;
    const x = (at) => 60 + at * step;
    const y = (delay) => 150 - (delay / highest) * 120;
    const picture = draw("svg", { width, height: 190, viewBox: `0 0 ${width} 190`, role: "img" });
    picture.append(draw("title", {}, `expected ${sides.expected.join(", ")} s; got ${sides.got.join(", ")} s`));
    picture.append(draw("line", { class: "axis", x1: 50, x2: width, y1: 150, y2: 150 }), draw("line", { class: "axis", x1: 50, x2: 50, y1: 20, y2: 150 }));
    picture.append(draw("text", { class: "quiet", x: 2, y: 34 }, `${+highest.toFixed(3)} s`), draw("text", { class: "quiet", x: 2, y: 150 }, "0 s"));
    picture.append(draw("text", { class: "quiet", x: 56, y: 180 }, "dashed: expected; solid: got"));
    for (const side of ["got", "expected"]) {
      picture.append(draw("polyline", { class: side, points: sides[side].map((delay, at) => `${x(at)},${y(delay)}`).join(" ") }));
    }
    return picture;
  }

  // keys and clicks
  byId("cases").tHead.rows[0].append(...index.runs.map((name) => make("th", { scope: "col", title: name }, name)));
  byId("filters").addEventListener("input", filter);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("case-run").addEventListener("input", showRun);
  byId("close").addEventListener("click", () => dialog.close());
  body.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) show(Number(button.dataset.at));
  });
  document.addEventListener("keydown", (event) => {
    if (dialog.open || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/" && !event.target.matches("input, select")) {
      event.preventDefault();
      byId("search").focus();
    }
    const line = event.target.closest?.("#cases tbody tr");
    if (!line || !["ArrowDown", "ArrowUp"].includes(event.key)) return;
    event.preventDefault();
    if (event.key === "ArrowDown" && !line.nextElementSibling) more();
    const next = event.key === "ArrowDown" ? line.nextElementSibling : line.previousElementSibling;
    next?.querySelector("button").focus();
  });
  new IntersectionObserver((seen) => seen.some((each) => each.isIntersecting) && more(), { rootMargin: "300px" }).observe(byId("end"));
  filter();
})();
