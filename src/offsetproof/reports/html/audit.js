// An audit: findings with filters, and of each its explanation, its lines and the timeline of its queue. A timeline is
// drawn when somebody looks at it. All text is set as text.
const report = JSON.parse(byId("data").textContent);
const { findings, explanations, timelines } = report;
const PAGE = 200;
const DOTS = 500;
const FILTERS = ["certainty", "kind", "group", "outcome", "words"];
const OUTCOMES = { "explained": "explained by a story", "consistent": "consistent with stories", "not-explained": "not explained", "unknown": "not decided", "no-claim": "no claim is broken" };
const CERTAINTY = { certain: "bad", possible: "odd" };
const RESETS = new Set(["reset-started", "reset-sent", "reset-marked", "reset-commanded", "suspended", "marker-taken"]);

const isWide = () => matchMedia("(min-width: 62rem)").matches;
const words = (kind) => kind.replaceAll("-", " ");
const bdi = (text) => element("bdi", {}, text);
const counted = (number, noun) => `${number.toLocaleString("en")} ${noun}${number === 1 ? "" : "s"}`;
const explanationOf = (finding) => explanations[finding.explanation];
const stamp = (time) => new Date(report.since + time).toISOString();
const instant = (time) => stamp(time).replace("T", " ").replace("Z", "");
const nameOf = (line) => `${line.group}, ${line.topic}, ${line.broker === null ? "" : `${line.broker}:`}${line.queue}`;

// The list.
let shown = PAGE;
function wanted() {
  const [certainty, kind, group, outcome, text] = FILTERS.map((id) => byId(id).value);
  const sought = text.trim().toLowerCase();
  return findings.filter((each) => {
    const explanation = explanationOf(each);
    if ((certainty && each.certainty !== certainty) || (kind && each.kind !== kind) || (outcome && explanation.outcome !== outcome)) return false;
    if (group && each.group !== group) return false;
    if (!sought) return true;
    const said = [each.kind, each.claim || "", each.where, each.says, ...explanation.stories.map((told) => told.story), ...each.evidence.map((line) => `${line.file} ${line.text}`)];
    return said.join(" ").toLowerCase().includes(sought);
  });
}

function list() {
  const kept = wanted();
  byId("list").replaceChildren();
  let group;
  for (const each of kept.slice(0, shown)) {
    if (each.group !== group) {
      group = each.group;
      const number = kept.filter((other) => other.group === group).length;
      byId("list").append(element("li", { class: "group" }, element("h2", {}, "group ", bdi(group === null ? "not named" : group)), element("span", { class: "quiet small" }, counted(number, "finding"))));
    }
    byId("list").append(item(each));
  }
  byId("more").hidden = kept.length <= shown;
  byId("count").textContent = kept.length === findings.length ? counted(kept.length, "finding") : `${kept.length.toLocaleString("en")} of ${counted(findings.length, "finding")}`;
  mark();
}

function item(finding) {
  const number = findings.indexOf(finding);
  const outcome = explanationOf(finding);
  const by = outcome.stories.length && outcome.outcome === "explained" ? `by ${outcome.stories[0].story}` : OUTCOMES[outcome.outcome];
  const head = element("span", {}, element("b", {}, words(finding.kind)), finding.claim ? ` (${finding.claim})` : "", " ", element("span", { class: `badge ${CERTAINTY[finding.certainty]}` }, finding.certainty));
  const button = element("button", { type: "button", "data-finding": number }, head, element("span", {}, bdi(finding.where)), element("span", { class: "small quiet" }, `${instant(finding.begin)}; ${by}`));
  button.addEventListener("click", () => choose(`finding=${number}`));
  return element("li", {}, button);
}

function mark() {
  for (const each of document.querySelectorAll("#list button, #queues button")) {
    const is = location.hash === `#finding=${each.dataset.finding}` || location.hash === `#queue=${each.dataset.queue}`;
    if (is) each.setAttribute("aria-current", "true");
    else each.removeAttribute("aria-current");
  }
}

function listQueues() {
  const sought = byId("queue").value.trim().toLowerCase();
  const fits = [];
  for (let place = 0; place < timelines.length && fits.length <= 40; place += 1) {
    if (!sought || nameOf(timelines[place]).toLowerCase().includes(sought)) fits.push(place);
  }
  byId("queues").replaceChildren(...fits.slice(0, 40).map((place) => {
    const button = element("button", { type: "button", "data-queue": place }, bdi(nameOf(timelines[place])));
    button.addEventListener("click", () => choose(`queue=${place}`));
    return element("li", {}, button);
  }));
  if (fits.length > 40) byId("queues").append(element("li", { class: "quiet small" }, `and more of ${counted(timelines.length, "queue")}: type a part of its name`));
  mark();
}

// What is chosen. On a narrow screen it is below the list, and comes into view.
let isChosen = false;
function choose(what) {
  isChosen = true;
  if (location.hash === `#${what}`) readAddress();
  else location.hash = what;
}

function showFinding(finding) {
  const detail = byId("detail");
  const head = element("div", { class: "badges" }, element("span", { class: `badge ${CERTAINTY[finding.certainty]}` }, finding.certainty), finding.claim ? element("span", { class: "badge" }, `claim ${finding.claim}`) : null, element("span", { class: "badge" }, OUTCOMES[explanationOf(finding).outcome]));
  const decided = finding.decided_by ? element("p", { class: "quiet" }, `It would be decided by ${finding.decided_by}`) : null;
  detail.replaceChildren(heading(words(finding.kind)), element("p", {}, bdi(finding.where)), head, element("p", { class: "says" }, finding.says), element("p", { class: "small quiet" }, `${instant(finding.begin)} to ${instant(finding.end)}`), ...(decided ? [decided] : []));
  const beside = element("div", { class: "beside" });
  detail.append(beside);
  if (finding.timeline !== null) beside.append(figureOf(timelines[finding.timeline], findings.filter((each) => each.timeline === finding.timeline), finding));
  beside.append(evidenceOf(finding));
  detail.append(...explained(explanationOf(finding)));
}

function evidenceOf(finding) {
  const lines = finding.evidence.map((line) => element("li", {}, element("b", {}, words(line.role)), " ", element("span", { class: "small quiet" }, bdi(`${line.file}:${line.line}`)), line.text ? element("pre", { tabindex: 0 }, line.text) : null));
  return element("div", { class: "evidence" }, element("h3", {}, "Lines"), element("ol", {}, ...lines));
}

function explained(explanation) {
  const made = [heading("Why")];
  if (explanation.outcome === "explained") made.push(element("p", {}, "A story of the model leaves these lines:"));
  if (explanation.outcome === "consistent") made.push(element("p", {}, explanation.stories.length > 1 ? "The lines agree with each of these stories, and cannot tell which it was:" : "The lines agree with this story, and say little:"));
  if (explanation.outcome === "not-explained") made.push(element("p", {}, element("b", {}, "Not explained by any modelled cause. "), explanation.detail));
  if (explanation.outcome === "unknown") made.push(element("p", {}, element("b", {}, "Not decided. "), explanation.detail));
  if (explanation.outcome === "no-claim") made.push(element("p", {}, explanation.detail || "No claim says that this must not be."));
  made.push(...explanation.stories.map(told));
  if (explanation.also.length) made.push(element("p", { class: "small quiet" }, `The lines agree as well with ${explanation.also.join(", ")}.`));
  if (explanation.release) made.push(element("p", { class: "small quiet" }, `Asked of release ${explanation.release}.`));
  return made;
}

function told(story) {
  const page = report.stories[story.story];
  const name = page ? element("a", { href: encodeURI(page) }, story.story) : story.story;
  const facts = element("dl", {});
  const fact = (term, ...texts) => texts.length && facts.append(element("dt", {}, term), ...texts.map((text) => element("dd", {}, text)));
  fact("Its lines", `${story.matched} of ${story.observable} are seen${story.searched ? "; found by a search that took the lines as given" : ""}`);
  fact("These very steps happen in", story.happens_in.join(", ") || "no release that is modelled");
  fact(`${story.case} is refuted in`, story.refuted_in.join(", ") || "no release");
  if (story.holds_in.length) fact("It holds in", story.holds_in.join(", "));
  fact("What to do now", ...story.now);
  fact("A change of RocketMQ that mends it", ...story.changes);
  if (story.effect) fact("Effect", story.effect);
  return element("article", { class: "told" }, element("h3", {}, name, element("span", { class: "quiet small" }, ` ${story.claim}`)), element("p", {}, story.cause), facts);
}

function showQueue(line) {
  const own = findings.filter((each) => each.timeline !== null && timelines[each.timeline] === line);
  const links = own.slice(0, 50).map((each) => element("li", {}, element("a", { href: `#finding=${findings.indexOf(each)}` }, words(each.kind)), ` ${each.certainty}, ${instant(each.begin)}`));
  byId("detail").replaceChildren(heading(nameOf(line)), element("p", { class: "quiet" }, counted(own.length, "finding")), element("ul", {}, ...links), element("div", { class: "beside" }, figureOf(line, own, null)));
}

// A timeline: clients as lanes, offsets as a step line, marks and findings as upright lines.
const SIDE = 8;
const LANE = 30;
const STEPS = 190;
const FLAGS = 18;

function spanOf(line, own) {
  const times = [...line.spans.flatMap(([, begin, end]) => [begin, end]), ...line.points.map(([time]) => time), ...line.marks.map(([time]) => time), ...own.flatMap((each) => [each.begin, each.end])];
  const begin = times.reduce((one, other) => Math.min(one, other), Infinity);
  const end = times.reduce((one, other) => Math.max(one, other), -Infinity);
  const room = Math.max(1000, (end - begin) * 0.02);
  return times.length ? [begin - room, end + room] : [0, 1000];
}

function figureOf(line, own, chosen) {
  const whole = spanOf(line, own);
  const state = { view: whole };
  const canvas = element("div", { class: "canvas", tabindex: 0, role: "group", "aria-label": "Timeline. Plus and minus zoom, 0 shows all, arrows move; a stretch that is drawn over is enlarged." });
  const says = element("span", { class: "small quiet", role: "status" });
  const table = element("details", {}, element("summary", {}, "The same as a table"));
  const redraw = () => {
    canvas.replaceChildren(chartOf(line, own, chosen, state.view, Math.max(280, canvas.clientWidth || 700)));
    says.textContent = `${instant(state.view[0])} to ${instant(state.view[1])}`;
    if (table.open) fillTable(table, line, state.view);
  };
  const look = (begin, end) => {
    const least = Math.max(whole[0], Math.min(begin, whole[1] - 50));
    state.view = [least, Math.max(least + 50, Math.min(end, whole[1]))];
    redraw();
  };
  const zoom = (factor, at) => {
    const [begin, end] = state.view;
    const middle = at === undefined ? (begin + end) / 2 : at;
    look(middle - (middle - begin) * factor, middle + (end - middle) * factor);
  };
  const move = (share) => {
    const [begin, end] = state.view;
    const far = Math.max(whole[0] - begin, Math.min(whole[1] - end, (end - begin) * share));
    look(begin + far, end + far);
  };
  const room = chosen ? Math.max(2000, (chosen.end - chosen.begin) * 0.6) : 0;
  const toFinding = () => look(chosen.begin - room, chosen.end + room);
  const tools = [["Zoom in", () => zoom(0.5)], ["Zoom out", () => zoom(2)], ["Earlier", () => move(-0.5)], ["Later", () => move(0.5)], ["All", () => look(...whole)], ...(chosen ? [["To the finding", toFinding]] : [])];
  const buttons = tools.map(([name, does]) => {
    const button = element("button", { type: "button" }, name);
    button.addEventListener("click", does);
    return button;
  });
  canvas.addEventListener("keydown", (event) => {
    const does = { "+": () => zoom(0.5), "-": () => zoom(2), "0": () => look(...whole), "ArrowLeft": () => move(-0.25), "ArrowRight": () => move(0.25) }[event.key];
    if (!does) return;
    event.preventDefault();
    does();
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 0.8 : 1.25, timeAt(canvas, state.view, event.clientX));
  }, { passive: false });
  drag(canvas, state, look);
  table.addEventListener("toggle", () => table.open && fillTable(table, line, state.view));
  const made = element("figure", { class: "timeline" }, element("div", { class: "controls screen" }, ...buttons, says), canvas, legendOf(line), table);
  new ResizeObserver(() => canvas.isConnected && redraw()).observe(canvas);
  if (chosen && chosen.end - chosen.begin < (whole[1] - whole[0]) / 8) toFinding();
  else redraw();
  return made;
}

function timeAt(canvas, [begin, end], x) {
  const box = canvas.getBoundingClientRect();
  const share = (x - box.left - SIDE) / Math.max(1, box.width - 2 * SIDE);
  return begin + Math.max(0, Math.min(1, share)) * (end - begin);
}

// A stretch that the pointer draws over becomes the view.
function drag(canvas, state, look) {
  let from = null;
  canvas.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch") from = event.clientX;
  });
  canvas.addEventListener("pointerup", (event) => {
    if (from === null) return;
    const [one, other] = [from, event.clientX].sort((a, b) => a - b).map((x) => timeAt(canvas, state.view, x));
    const far = Math.abs(event.clientX - from);
    from = null;
    if (far > 8) look(one, other);
  });
}

function legendOf(line) {
  const entries = [["fall", "an offset that fell"], ["reset", "a reset"], ["band", "a finding"]];
  return element("figcaption", { class: "small quiet" }, ...entries.flatMap(([name, text]) => [element("span", { class: `key ${name}` }), `${text}. `]), line.lanes.length ? "Bars: who had the queue; a bar without an end is one whose end is not in the logs." : "");
}

function fillTable(table, line, [begin, end]) {
  const rows = [
    ...line.points.map(([time, offset, lane, kind]) => [time, words(kind), lane, offset]),
    ...line.marks.map(([time, kind, lane, offset]) => [time, words(kind), lane, offset]),
    ...line.spans.flatMap(([lane, from, to, closed]) => [[from, "has the queue", lane, null], ...(closed ? [[to, "gives the queue up", lane, null]] : [])]),
  ].filter(([time]) => time >= begin && time <= end).sort((one, other) => one[0] - other[0]);
  const head = element("thead", {}, element("tr", {}, ...["time", "what", "client", "offset"].map((name) => element("th", { scope: "col" }, name))));
  const body = element("tbody", {}, ...rows.slice(0, 300).map(([time, what, lane, offset]) => element("tr", {}, element("td", {}, instant(time)), element("td", {}, what), element("td", {}, bdi(lane < 0 ? "" : line.lanes[lane])), element("td", {}, offset === null ? "" : String(offset)))));
  const left = rows.length > 300 ? element("p", { class: "small quiet" }, `${(rows.length - 300).toLocaleString("en")} more: zoom in`) : "";
  table.replaceChildren(table.firstChild, element("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Events of the timeline" }, element("table", {}, head, body)), left);
}

function chartOf(line, own, chosen, view, width) {
  const lanes = line.lanes.length;
  const top = FLAGS;
  const under = top + lanes * LANE;
  const height = under + STEPS + 24;
  const [begin, end] = view;
  const x = (time) => SIDE + (Math.max(begin, Math.min(end, time)) - begin) / (end - begin) * (width - 2 * SIDE);
  const isIn = (time) => time >= begin && time <= end;
  const svg = drawn("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": chartInWords(line, own, view) });
  for (const each of own) {
    if (each.end < begin || each.begin > end) continue;
    const band = drawn("rect", { class: `band${each === chosen ? " chosen" : ""}`, x: x(each.begin), y: top - 4, width: Math.max(3, x(each.end) - x(each.begin)), height: height - 20 - top });
    svg.append(titled(band, `${words(each.kind)}, ${each.certainty}`));
  }
  line.lanes.forEach((name, lane) => {
    svg.append(textAt(SIDE, top + lane * LANE + 9, name, "lane-name"));
    svg.append(drawn("line", { class: "rule", x1: SIDE, x2: width - SIDE, y1: top + lane * LANE + 19, y2: top + lane * LANE + 19 }));
  });
  for (const [lane, from, to, closed] of line.spans) {
    if (to < begin || from > end) continue;
    const bar = drawn("rect", { class: `bar actor${lane % 6}${closed ? "" : " open"}`, x: x(from), y: top + lane * LANE + 14, width: Math.max(2, x(to) - x(from)), height: 11 });
    svg.append(titled(bar, `${line.lanes[lane]}: ${instant(from)} to ${instant(to)}${closed ? "" : ", its end is not seen"}`));
  }
  steps(svg, line, view, x, under, width);
  marks(svg, line, isIn, x, top, under + STEPS);
  axis(svg, view, x, under + STEPS, width);
  return svg;
}

function titled(node, text) {
  const title = drawn("title", {});
  title.textContent = text;
  node.append(title);
  return node;
}

function textAt(x, y, text, name, anchor) {
  const made = drawn("text", { x, y, class: name, ...(anchor ? { "text-anchor": anchor } : {}) });
  made.textContent = text;
  return made;
}

// The offsets that are in view, and the last before it, so that the line does not begin in the air.
function inView(line, [begin, end]) {
  const points = [...line.points].sort((one, other) => one[0] - other[0]);
  const first = points.findIndex(([time]) => time >= begin);
  const behind = points.findIndex(([time]) => time > end);
  return points.slice(first < 0 ? Math.max(0, points.length - 1) : Math.max(0, first - 1), behind < 0 ? points.length : behind);
}

function steps(svg, line, view, x, under, width) {
  const points = inView(line, view);
  if (!points.length) return;
  const low = points.reduce((least, [, offset]) => Math.min(least, offset), Infinity);
  const high = points.reduce((most, [, offset]) => Math.max(most, offset), -Infinity);
  const y = (offset) => under + STEPS - 14 - (offset - low) / Math.max(1, high - low) * (STEPS - 40);
  let path = "";
  points.forEach(([time, offset], place) => { path += place ? `H${x(time)}V${y(offset)}` : `M${x(time)},${y(offset)}`; });
  svg.append(drawn("path", { class: "steps", d: `${path}H${x(view[1])}` }));
  const each = Math.ceil(points.length / DOTS);
  points.forEach(([time, offset, lane, kind], place) => {
    const fell = kind === "commit-below-store" || (place > 0 && offset < points[place - 1][1]);
    if (!fell && place % each) return;
    const dot = drawn("circle", { class: `point${lane >= 0 ? ` actor${lane % 6}` : ""}${fell ? " fall" : ""}`, cx: x(time), cy: y(offset), r: fell ? 5 : 2.5 });
    svg.append(titled(dot, `${words(kind)} ${offset.toLocaleString("en")}${fell ? `, below ${place ? points[place - 1][1].toLocaleString("en") : "what was stored"}` : ""}; ${instant(time)}${lane >= 0 ? `; ${line.lanes[lane]}` : ""}`));
  });
  svg.append(textAt(width - SIDE, y(high) - 8, high.toLocaleString("en"), "tick", "end"));
  if (low < high) svg.append(textAt(width - SIDE, y(low) + 12, low.toLocaleString("en"), "tick", "end"));
}

function marks(svg, line, isIn, x, top, bottom) {
  const seen = line.marks.filter(([time]) => isIn(time));
  let free = -Infinity;
  for (const [time, kind, lane, offset] of seen.slice(0, DOTS)) {
    const name = `mark${RESETS.has(kind) ? " reset" : ""}`;
    const at = x(time);
    const upright = drawn("line", { class: name, x1: at, x2: at, y1: top - 6, y2: bottom });
    svg.append(titled(upright, `${words(kind)}${offset === null ? "" : ` ${offset.toLocaleString("en")}`}; ${instant(time)}${lane >= 0 ? `; ${line.lanes[lane]}` : ""}`));
    if (at < free) continue;
    svg.append(textAt(at + 2, top - 8, words(kind), `flag${RESETS.has(kind) ? " reset" : ""}`));
    free = at + words(kind).length * 6 + 12;
  }
}

function axis(svg, [begin, end], x, bottom, width) {
  svg.append(drawn("line", { class: "rule", x1: SIDE, x2: width - SIDE, y1: bottom, y2: bottom }));
  const number = Math.max(2, Math.min(7, Math.floor(width / 150)));
  const isShort = end - begin < 10000;
  for (let tick = 0; tick < number; tick += 1) {
    const time = begin + (end - begin) * tick / (number - 1);
    const text = end - begin > 86400000 * 2 ? stamp(time).slice(5, 16).replace("T", " ") : stamp(time).slice(11, isShort ? 23 : 19);
    svg.append(textAt(x(time), bottom + 15, text, "tick", tick === 0 ? "start" : tick === number - 1 ? "end" : "middle"));
  }
}

function chartInWords(line, own, [begin, end]) {
  const points = inView(line, [begin, end]);
  const falls = points.filter(([, offset], place) => place > 0 && offset < points[place - 1][1]).length;
  return `${nameOf(line)}, ${instant(begin)} to ${instant(end)}: ${counted(line.lanes.length, "client")}, ${counted(points.length, "offset")}, ${counted(falls, "fall")}, ${counted(line.marks.filter(([time]) => time >= begin && time <= end).length, "mark")}, ${counted(own.length, "finding")}`;
}

function fill(id, values, inWords) {
  for (const value of [...new Set(values)].sort()) byId(id).append(element("option", { value }, inWords ? inWords(value) : value));
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  const finding = findings[given.get("finding")];
  const line = timelines[given.get("queue")];
  if (finding) showFinding(finding);
  else if (line) showQueue(line);
  mark();
  if (isChosen && !isWide()) byId("detail").scrollIntoView();
  isChosen = false;
}

fill("certainty", findings.map((each) => each.certainty));
fill("kind", findings.map((each) => each.kind), words);
fill("group", findings.map((each) => each.group).filter((name) => name !== null));
fill("outcome", findings.map((each) => explanationOf(each).outcome), (value) => OUTCOMES[value]);
for (const id of FILTERS) byId(id).addEventListener("input", () => { shown = PAGE; list(); });
byId("more").addEventListener("click", () => { shown += PAGE; list(); });
byId("queue").addEventListener("input", listQueues);
document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
addEventListener("hashchange", readAddress);
list();
listQueues();
readAddress();
if (!location.hash && findings.length && isWide()) showFinding(findings[0]);
