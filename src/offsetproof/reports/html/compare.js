// Two stories of the report beside each other, which step together: by what they have in common, from the beginning.
const report = JSON.parse(document.getElementById("data").textContent);
const sides = { a: { frame: byId("left"), steps: null, at: 0 }, b: { frame: byId("right"), steps: null, at: 0 } };
let rows = [[0, 0]];

const names = report.stories.map((story) => story.name);
function offer(id, name, text) {
  const option = document.createElement("option");
  option.value = name;
  option.textContent = text;
  byId(id).append(option);
}

for (const id of ["a", "b"]) {
  for (const story of report.stories) offer(id, story.name, `${story.name}: ${story.title} in ${story.scope}, ${story.steps} steps`);
  byId(id).addEventListener("change", () => open(id));
}

function open(id) {
  sides[id].steps = null;
  sides[id].at = 0;
  sides[id].frame.src = `${encodeURIComponent(byId(id).value)}.html#step=0&embed=1`;
  sides[id].frame.title = `Story ${byId(id).value}`;
  keepAddress();
}

function keepAddress() {
  const address = `#a=${encodeURIComponent(byId("a").value)}&b=${encodeURIComponent(byId("b").value)}&step=${sides.a.at}`;
  if (location.hash !== address) history.replaceState(null, "", address);
}

// Pairs of steps that belong together: a longest common subsequence of their names; a step alone stands beside where
// the other story is by then.
function aligned(left, right) {
  const [rowsOf, columns] = [left.length, right.length];
  const best = Array.from({ length: rowsOf + 1 }, () => new Uint16Array(columns + 1));
  for (let i = rowsOf - 1; i >= 0; i -= 1) {
    for (let j = columns - 1; j >= 0; j -= 1) best[i][j] = left[i] === right[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
  }
  const found = [[0, 0]];
  for (let i = 0, j = 0; i < rowsOf || j < columns;) {
    if (i < rowsOf && j < columns && left[i] === right[j]) { i += 1; j += 1; }
    else if (j === columns || (i < rowsOf && best[i + 1][j] >= best[i][j + 1])) i += 1;
    else j += 1;
    found.push([i, j]);
  }
  return found;
}

function show(row) {
  const [left, right] = rows[Math.max(0, Math.min(rows.length - 1, row))];
  tell("a", left);
  tell("b", right);
  said();
}

function tell(id, step) {
  const side = sides[id];
  if (side.at === step || !side.steps) return;
  side.at = step;
  side.frame.contentWindow.postMessage({ go: step }, "*");
}

function rowOf(id) {
  const place = id === "a" ? 0 : 1;
  return rows.findIndex((row) => row[place] === sides[id].at);
}

function said() {
  const [left, right] = [sides.a, sides.b];
  const both = left.steps && right.steps && left.at && right.at && left.steps[left.at - 1] === right.steps[right.at - 1];
  byId("where").textContent = left.steps && right.steps ? `step ${left.at} of ${left.steps.length} beside step ${right.at} of ${right.steps.length}${both ? ": the same" : ""}` : "";
  keepAddress();
}

addEventListener("message", (event) => {
  const id = Object.keys(sides).find((each) => sides[each].frame.contentWindow === event.source);
  if (!id || !event.data) return;
  if (event.data.offsetproof === "ready" && Array.isArray(event.data.steps)) {
    sides[id].steps = event.data.steps;
    if (sides.a.steps && sides.b.steps) {
      rows = aligned(sides.a.steps, sides.b.steps);
      show(wanted === null ? 0 : Math.max(0, rows.findIndex((row) => row[0] === wanted)));
      wanted = null;
      said();
    }
  } else if (event.data.offsetproof === "step" && Number.isInteger(event.data.step) && event.data.step !== sides[id].at) {
    sides[id].at = event.data.step;
    if (byId("together").checked) show(rowOf(id));
    else said();
  }
});

function move(by) {
  const now = rows.findIndex((row) => row[0] === sides.a.at && row[1] === sides.b.at);
  show((now < 0 ? rowOf("a") : now) + by);
}
byId("back").addEventListener("click", () => move(-1));
byId("next").addEventListener("click", () => move(1));
document.addEventListener("keydown", (event) => {
  if (event.target.closest("select, input") || event.ctrlKey || event.metaKey || event.altKey) return;
  const by = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -1e9, End: 1e9 }[event.key];
  if (by === undefined) return;
  event.preventDefault();
  move(by);
});

const given = new URLSearchParams(location.hash.slice(1));
let wanted = Number.parseInt(given.get("step"), 10);
if (Number.isNaN(wanted)) wanted = null;
// Another report in the same folder may have a story of this name, say with a fix.
for (const id of ["a", "b"]) {
  const name = given.get(id) || "";
  if (/^[\w=,-]+$/.test(name) && !names.includes(name)) offer(id, name, name);
}
byId("a").value = given.get("a") || names[0];
if (!byId("a").value) byId("a").value = names[0];
byId("b").value = given.get("b") || "";
if (!byId("b").value) byId("b").value = names.find((name) => name !== byId("a").value) || names[0];
for (const id of ["a", "b"]) open(id);
