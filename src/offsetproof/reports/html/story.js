// A story's page: draws the steps, shows the chosen one, and keeps the address in step. All text is set as text.
const story = JSON.parse(document.getElementById("data").textContent);
const LAST = story.steps.length;
const isEndless = Number.isInteger(story.cycle_at);
// Of a run without an end the steps from this one on come again and again; none where nothing more happens.
const AGAIN = isEndless && story.cycle_at < LAST ? story.cycle_at + 1 : LAST + 1;
let chosen = 0;
let view = "all";
let timer = 0;
let isEmbedded = false;

const stepAt = (number) => story.steps[number - 1];
const actionOf = (step) => story.actions[step.action];
const wordsOf = (step) => actionOf(step).words || nameOf(step);
const nameOf = (step) => (step.args ? `${step.action}(${step.args})` : step.action);
const whoTakes = (step) => `${story.lanes[step.lane].actor}, ${story.lanes[step.lane].thread}`;
const sharedThreads = new Set(story.lanes.map((lane) => lane.thread).filter((thread, place, all) => all.indexOf(thread) !== place));
// The thread says enough where only one actor has it.
const whoInShort = ({ lane }) => (sharedThreads.has(story.lanes[lane].thread) ? whoTakes({ lane }) : story.lanes[lane].thread);
const linkTo = (number) => `#step=${number}${view === "all" ? "" : `&view=${view}`}${isEmbedded ? "&embed=1" : ""}`;

// The vertical scale: a row for each step, and before a step more room the longer it waits.
const actors = [...new Set(story.lanes.map((lane) => lane.actor))];
const colourOf = (lane) => `actor${actors.indexOf(story.lanes[lane].actor) % 6}`;
const timeAt = (number) => (number > 0 && number <= LAST ? stepAt(number).time : 0);
const gaps = story.steps.map((step, index) => {
  const waited = step.time === null ? 0 : step.time - (timeAt(index) || 0);
  return waited > 0 ? Math.min(96, Math.round(14 * Math.log2(1 + waited))) : 0;
});

function truthsAt(number) {
  return number === 0 ? story.truths : stepAt(number).truths;
}

// What a witness is to show is false up to its end: no failure.
const classOf = (truth) => (truth !== false ? "holds" : story.shown ? "quiet" : "fails");

function truthCell(truth, claim) {
  const word = truth === null ? "unknown" : truth ? "true" : "false";
  const mark = truth === null ? "?" : truth ? "✓" : story.shown ? "–" : "✗";
  const cell = element("span", { class: `truth ${classOf(truth)}`, title: `${claim} is ${word}` });
  cell.append(mark);
  return cell;
}

function buildHead() {
  const head = byId("head");
  const lanes = element("div", { class: "lanes" });
  story.lanes.forEach((lane, place) => {
    const title = `${lane.actor}: ${lane.thread}`;
    const first = place === 0 || story.lanes[place - 1].actor !== lane.actor;
    const name = element("div", { class: `lane ${colourOf(place)}`, title });
    name.append(element("b", {}, first || view === "narrow" ? lane.actor : ""), " ", lane.thread === lane.actor ? "" : lane.thread);
    lanes.append(name);
  });
  const claims = element("div", { class: "claims" });
  for (const claim of story.claims) claims.append(element("div", { class: "claim", title: `claim ${claim}` }, claim));
  head.append(element("div", { class: "time" }), lanes, claims, element("div", {}));
}

// How a run without an end goes on after its last step.
function goesOn() {
  if (AGAIN > LAST) return element("p", { class: "again" }, "⏹ Nothing more happens, for ever.");
  const link = element("a", { href: linkTo(AGAIN) }, `step ${AGAIN}`);
  const state = story.cycle_at ? `after step ${story.cycle_at}` : "of the beginning";
  return element("p", { class: "again" }, `↻ This is the state ${state} once more: the run goes on with `, link, ", again and again.");
}

// The claims that fail with a step, or that it shows.
function turned(number) {
  const wanted = story.shown === true;
  return story.claims.filter((_, place) => truthsAt(number)[place] === wanted && (!number || truthsAt(number - 1)[place] !== wanted));
}

const turnedWords = (number) => (story.shown ? "is shown here" : number ? "fails here" : "is false");

function buildSteps() {
  const list = byId("steps");
  for (let number = 0; number <= LAST; number += 1) {
    const row = element("li", { class: "grid", "data-step": number });
    const step = number ? stepAt(number) : null;
    if (step && gaps[number - 1]) row.style.marginTop = `${gaps[number - 1]}px`;
    const before = number > 1 ? timeAt(number - 1) : null;
    const time = step && step.time !== null && step.time !== before ? `${step.time.toFixed(1)} s` : "";
    const truths = element("div", { class: "truths", "aria-hidden": "true" });
    story.claims.forEach((claim, place) => truths.append(truthCell(truthsAt(number)[place], claim)));
    const link = element("a", { href: linkTo(number), tabindex: -1 });
    const line = element("span", { class: "line" }, element("span", { class: "number" }, String(number)));
    if (number === AGAIN) line.append(element("b", { class: "again" }, "↻ again from here"), " ");
    if (turned(number).length) line.append(element("b", { class: story.shown ? "holds" : "fails" }, `${turned(number).join(", ")} ${turnedWords(number)}`), " ");
    if (step) line.append(element("span", { class: "quiet" }, `${whoInShort(step)}: `), actionOf(step).fault ? "fault: " : "", element("bdi", {}, wordsOf(step)));
    else line.append("The beginning");
    if (step) link.setAttribute("title", `${whoTakes(step)}: ${nameOf(step)}`);
    link.append(line);
    row.classList.toggle("cycle", number >= AGAIN);
    row.append(element("div", { class: "time" }, time), element("div", {}), truths, link);
    list.append(row);
  }
  if (isEndless) byId("body").append(goesOn());
  list.addEventListener("click", (event) => {
    const row = event.target.closest("li");
    if (row && !event.ctrlKey && !event.metaKey) {
      event.preventDefault();
      go(Number(row.dataset.step), true);
    }
  });
}

const LONGEST = Math.max(...story.lanes.flatMap(({ actor, thread }) => [actor, ...thread.split(" ")]).map((word) => word.length));

function measures() {
  const styles = getComputedStyle(document.documentElement);
  const rem = parseFloat(styles.fontSize);
  const row = parseFloat(styles.getPropertyValue("--row"));
  const axis = parseFloat(styles.getPropertyValue("--axis")) * rem;
  const truths = story.claims.length * (axis ? 1.5 : 1.1) * rem;
  const spare = byId("chart").clientWidth - axis - truths;
  const words = Math.min(340, Math.max(170, spare * 0.42));
  const upright = 4 + LONGEST * 0.45 * rem; // so wide is the longest word of a head, in bold letters of 0.72 rem
  const lane = Math.max(17, Math.min(Math.max(84, upright), Math.floor((spare - words) / Math.max(1, story.lanes.length))));
  return { row, axis, truths, lane, isNarrow: lane < upright };
}

// Where the middle of each step's row is, from the top of the first row.
function heights(row) {
  const found = [row / 2];
  for (let number = 1; number <= LAST; number += 1) found.push(found[number - 1] + row + gaps[number - 1]);
  return found;
}

const shapes = [];
function draw() {
  const { row, truths, lane, isNarrow } = measures();
  const chart = byId("chart");
  chart.style.setProperty("--lane", `${lane}px`);
  chart.style.setProperty("--lanes", `${lane * story.lanes.length}px`);
  chart.style.setProperty("--truths", `${truths}px`);
  chart.classList.toggle("narrow", isNarrow);
  const y = heights(row);
  const x = (place) => (place + 0.5) * lane;
  const old = byId("drawing");
  if (old) old.remove();
  const size = { width: lane * story.lanes.length, height: y[LAST] + row / 2 };
  const svg = drawn("svg", { id: "drawing", "aria-hidden": "true", ...size });
  for (const tip of ["tip", "tip-chosen", "tip-back"]) {
    const marker = drawn("marker", { id: tip, viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 8, markerHeight: 8, markerUnits: "userSpaceOnUse", orient: "auto" });
    marker.append(drawn("path", { d: "M0 0 8 4 0 8z" }));
    svg.append(marker);
  }
  story.lanes.forEach((_, place) => svg.append(drawn("line", { class: "rail", x1: x(place), x2: x(place), y1: 0, y2: size.height })));
  shapes.length = 0;
  const radius = Math.min(10, lane / 2 - 1);
  story.steps.forEach((step, index) => {
    const number = index + 1;
    const group = drawn("g", { class: `${colourOf(step.lane)}${actionOf(step).fault ? " fault" : ""}` });
    const arrows = step.to.map(([place, later]) => {
      const end = later === null ? number : later;
      return arrow([x(step.lane), y[number]], [x(place), y[end]], radius, end);
    });
    const text = drawn("text", { x: x(step.lane), y: y[number], class: `digits${String(number).length}` });
    text.textContent = number;
    group.append(...arrows, drawn("circle", { class: "dot", cx: x(step.lane), cy: y[number], r: radius }), text);
    svg.append(group);
    shapes.push({ group, arrows, ends: step.to.map(([, later]) => later), isLate: step.to.map(([, later]) => later !== null && later > number + 1) });
  });
  shapes.forEach(({ arrows, isLate }) => arrows.forEach((each, place) => each.classList.toggle("late", isLate[place])));
  if (AGAIN <= LAST) svg.append(wayBack(x(story.lanes.length - 1) + lane / 2, y, row));
  byId("body").style.position = "relative";
  byId("body").prepend(svg);
  mark();
}

function arrow([x1, y1], [x2, y2], radius, end) {
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [dx, dy] = [((x2 - x1) / length) * (radius + 1), ((y2 - y1) / length) * (radius + 1)];
  const stop = y1 === y2 ? [x2 - Math.sign(x2 - x1) * 2, y2] : [x2 - dx, y2 - dy];
  return drawn("line", { class: "arrow", x1: x1 + dx, y1: y1 + dy, x2: stop[0], y2: stop[1], "marker-end": "url(#tip)", "data-end": end });
}

// The way back from the state after the last step to the same state, after the step before the cycle.
function wayBack(edge, y, row) {
  const [from, to, out] = [y[LAST] + row / 2 - 6, y[AGAIN] - row / 2 + 6, edge - 3];
  const path = `M${out - 9} ${from}H${out - 5}Q${out} ${from} ${out} ${from - 5}V${to + 5}Q${out} ${to} ${out - 5} ${to}H${out - 11}`;
  return drawn("path", { class: "arrow back", d: path, "marker-end": "url(#tip-back)" });
}

function isFaded(step) {
  return (view === "needed" && step.needed === false) || (view === "told" && step.told === false);
}

// What depends on the chosen step and the view, in list and drawing.
function mark() {
  const rows = byId("steps").children;
  const rests = new Set(chosen ? stepAt(chosen).rests_on : []);
  for (let number = 0; number <= LAST; number += 1) {
    const row = rows[number];
    const isChosen = number === chosen;
    row.classList.toggle("chosen", isChosen);
    row.classList.toggle("rests", rests.has(number));
    const link = row.lastElementChild;
    link.tabIndex = isChosen ? 0 : -1;
    if (isChosen) link.setAttribute("aria-current", "step");
    else link.removeAttribute("aria-current");
    if (!number) continue;
    const faded = isFaded(stepAt(number));
    row.classList.toggle("quiet", faded);
    const { group, arrows, ends } = shapes[number - 1];
    group.classList.toggle("faded", faded);
    group.classList.toggle("chosen", isChosen);
    arrows.forEach((each, place) => {
      const concerns = isChosen || ends[place] === chosen;
      each.classList.toggle("chosen", concerns);
      each.setAttribute("marker-end", concerns ? "url(#tip-chosen)" : "url(#tip)");
    });
  }
}

function pictureAt(number) {
  const made = element("div", {});
  if (!story.picture) return made;
  const before = number ? story.picture.frames[story.picture.at[number - 1]] : null;
  story.picture.frames[story.picture.at[number]].forEach((queue, place) => made.append(queueOf(queue, before && before[place])));
  const legend = element("p", { class: "small quiet" });
  for (const [mark_, words] of Object.entries(story.picture.legend)) legend.append(element("span", { class: `key ${mark_}` }), `${words}. `);
  made.append(legend);
  return made;
}

function placesOf(step) {
  const list = element("ul", { class: "small" });
  for (const anchor of actionOf(step).anchors) {
    const text = anchor.url ? element("a", { href: anchor.url, rel: "noreferrer", target: "_blank" }, anchor.text) : anchor.text;
    list.append(element("li", { class: "code" }, text));
  }
  return list;
}

function truthsOf(number) {
  const list = element("ul", { class: "small" });
  story.claims.forEach((claim, place) => {
    const [now, was] = [truthsAt(number)[place], number ? truthsAt(number - 1)[place] : null];
    const changed = number && now !== was ? "now " : "";
    const word = now === null ? "not judged" : `${changed}${now ? "true" : "false"}`;
    list.append(element("li", {}, element("bdi", {}, `claim ${claim}`), " is ", element("b", { class: classOf(now) }, word)));
  });
  return list;
}

function showPanel() {
  const panel = byId("panel");
  const step = chosen ? stepAt(chosen) : null;
  const time = step && step.time !== null ? `, at ${step.time.toFixed(1)} s` : "";
  const parts = [heading(`Step ${chosen} of ${LAST}${time}`)];
  if (!step) parts.push(element("p", { class: "says" }, "The beginning, before any step"));
  else {
    const action = actionOf(step);
    parts.push(element("p", {}, element("span", { class: `badge ${colourOf(step.lane)}` }, whoTakes(step)), " ", action.fault ? element("span", { class: "badge odd" }, `fault: ${action.fault}`) : ""));
    parts.push(element("p", { class: "says" }, element("bdi", {}, wordsOf(step))));
    parts.push(element("p", { class: "code quiet" }, nameOf(step)));
  }
  if (story.picture) parts.push(pictureAt(chosen));
  if (isEndless && chosen === LAST) parts.push(goesOn());
  if (step) parts.push(...moreOf(step));
  parts.push(heading("Claims"), truthsOf(chosen));
  panel.replaceChildren(...parts);
  if (story.explore) {
    byId("explore").textContent = `${story.explore} ${chosen}`;
    byId("copied-explore").textContent = "";
  }
  showFields();
}

function saveTrace() {
  const file = URL.createObjectURL(new Blob([story.saved], { type: "application/json" }));
  element("a", { href: file, download: `${story.name}.json` }).click();
  setTimeout(() => URL.revokeObjectURL(file), 1000);
  byId("copied-explore").textContent = "Saved; its path is --trace.";
}

function moreOf(step) {
  const action = actionOf(step);
  const parts = step.changed.length ? [heading("What changes"), tableOfChanges(step.changed)] : [element("p", { class: "quiet" }, "No field changes.")];
  if (action.anchors.length) parts.push(heading("Where in the code"), placesOf(step));
  if (action.logs) parts.push(element("p", { class: "small" }, "may log ", element("span", { class: "code" }, action.logs)));
  if (step.rests_on.length) {
    const links = step.rests_on.flatMap((number) => [element("a", { href: linkTo(number), title: wordsOf(stepAt(number)) }, String(number)), " "]);
    parts.push(element("p", { class: "small" }, "reads what was written by step ", ...links));
  }
  if (action.more) parts.push(element("p", { class: "small" }, action.more));
  parts.push(element("p", { class: "small quiet" }, "in the model: ", element("span", { class: "code" }, action.place)));
  return parts;
}

function showFields() {
  const details = byId("fields");
  if (!details.open) return;
  const now = { ...story.initial };
  for (let number = 1; number <= chosen; number += 1) for (const [path, , after] of stepAt(number).changed) now[path] = after;
  const rows = Object.entries({ ...now, ...story.still }).map(([path, value]) => element("tr", {}, element("td", { class: "code" }, path), element("td", { class: "code" }, value)));
  details.querySelector("tbody").replaceChildren(...rows);
}

// `tells`: the page around it, which moves the other story likewise, and must not take its own move for a reader's.
function go(number, focus, follows = true, tells = true) {
  chosen = Math.max(0, Math.min(LAST, number));
  mark();
  showPanel();
  for (const [id, end] of [["first", 0], ["back", 0], ["next", LAST], ["last", LAST]]) byId(id).disabled = chosen === end;
  if (location.hash !== linkTo(chosen) && (location.hash || chosen)) history.replaceState(null, "", linkTo(chosen));
  const row = byId("steps").children[chosen];
  if (focus) row.lastElementChild.focus({ preventScroll: true });
  byId("panel").parentElement.classList.toggle("at-rest", chosen === 0);
  if (follows) keepInSight(row);
  if (isEmbedded && tells) window.parent.postMessage({ offsetproof: "step", step: chosen }, "*");
}

function keepInSight(row) {
  const box = row.getBoundingClientRect();
  const panel = byId("panel").parentElement;
  const covered = getComputedStyle(panel).position === "fixed" ? panel.offsetHeight : 0;
  const top = byId("head").offsetHeight + 8;
  const chart = byId("chart").getBoundingClientRect();
  if (chart.top > innerHeight - covered && chosen === 0) return;
  if (box.top < top) scrollBy({ top: box.top - top - 40, behavior: "instant" });
  else if (box.bottom > innerHeight - covered) scrollBy({ top: box.bottom - innerHeight + covered + 40, behavior: "instant" });
}

function play(on) {
  clearInterval(timer);
  timer = 0;
  byId("play").setAttribute("aria-pressed", String(on));
  byId("play").textContent = on ? "Pause" : "Play";
  if (!on) return;
  if (chosen === LAST) go(0);
  timer = setInterval(() => {
    go(chosen + 1);
    if (chosen === LAST) play(false);
  }, 900);
}

const KEYS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, PageDown: 10, PageUp: -10 };
function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea, pre, .queue")) return;
  const isInList = byId("steps").contains(document.activeElement);
  if (event.key in KEYS) go(chosen + KEYS[event.key], isInList);
  else if (event.key === "Home") go(0, isInList);
  else if (event.key === "End") go(LAST, isInList);
  else if (event.key === " " && !event.target.closest("button, summary")) play(!timer);
  else return;
  event.preventDefault();
}

function readAddress() {
  const given = new URLSearchParams(location.hash.slice(1));
  isEmbedded = given.get("embed") === "1" && window.parent !== window;
  document.body.classList.toggle("embedded", isEmbedded);
  const wanted = given.get("view");
  view = ["needed", "told"].includes(wanted) ? wanted : "all";
  document.querySelector(`input[value="${view}"]`).checked = true;
  const number = Number.parseInt(given.get("step"), 10);
  go(Number.isNaN(number) ? chosen : number, false, !Number.isNaN(number));
}

function buildTable() {
  const body = byId("table").querySelector("tbody");
  if (body.children.length) return;
  story.steps.forEach((step, index) => {
    const time = step.time === null ? "" : ` (${step.time.toFixed(1)} s)`;
    const places = actionOf(step).anchors.map((anchor) => element("div", { class: "code quiet" }, anchor.text));
    const changes = step.changed.map(([path, old, now]) => element("div", { class: "code" }, element("bdi", {}, path), ": ", element("bdi", {}, old), " → ", element("bdi", {}, now)));
    const claims = turned(index + 1).map((claim) => element("div", {}, element("b", { class: story.shown ? "holds" : "fails" }, `claim ${claim} is now ${story.shown}`)));
    const cells = [`${index + 1}${time}`, whoTakes(step), element("div", {}, wordsOf(step), ...places), element("div", {}, ...changes, ...claims)];
    body.append(element("tr", {}, ...cells.map((cell) => element("td", {}, cell))));
  });
  if (isEndless) body.append(element("tr", {}, element("td", { colspan: 4 }, goesOn())));
}

async function copyText(text, says) {
  try {
    await navigator.clipboard.writeText(text.textContent);
    says.textContent = "Copied.";
  } catch {
    getSelection().selectAllChildren(text);
    says.textContent = "Selected; copy it with Ctrl-C.";
  }
}

function listen() {
  for (const [id, target] of [["first", () => 0], ["back", () => chosen - 1], ["next", () => chosen + 1], ["last", () => LAST]]) byId(id).addEventListener("click", () => go(target()));
  byId("play").addEventListener("click", () => play(!timer));
  byId("fields").addEventListener("toggle", showFields);
  byId("table").addEventListener("toggle", buildTable);
  byId("watch").addEventListener("toggle", () => byId("watch").open && openWatched());
  byId("copy").addEventListener("click", () => copyText(byId("brief"), byId("copied")));
  if (story.explore) byId("copy-explore").addEventListener("click", () => copyText(byId("explore"), byId("copied-explore")));
  if (story.saved) byId("save").addEventListener("click", saveTrace);
  for (const input of document.querySelectorAll("input[name=view]")) {
    input.addEventListener("change", () => {
      view = input.value;
      go(chosen);
    });
  }
  document.addEventListener("keydown", onKey);
  addEventListener("hashchange", readAddress);
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth !== width) draw();
    width = innerWidth;
  });
  const opensTable = () => {
    buildTable();
    byId("table").open = true;
  };
  addEventListener("beforeprint", () => {
    opensTable();
    draw();
  });
  addEventListener("afterprint", draw);
  matchMedia("print").addEventListener("change", (query) => {
    if (query.matches) opensTable();
    draw();
  });
  addEventListener("message", (event) => {
    if (isEmbedded && event.source === window.parent && event.data && Number.isInteger(event.data.go) && event.data.go !== chosen) go(event.data.go, false, true, false);
  });
}

buildHead();
buildSteps();
if (!story.steps.some((step) => step.needed !== null)) for (const each of document.querySelectorAll(".needs-outline")) each.hidden = true;
if (story.timing) byId("scale").textContent = "Seconds are those of the smallest schedule that the story allows by the program's own timers; the room above a step grows with the time that passes before it.";
listen();
draw();
readAddress();
if (isEmbedded) window.parent.postMessage({ offsetproof: "ready", steps: story.steps.map(nameOf) }, "*");
