// Fields of a story that a reader watches over all steps: a column for each, and what the end does not depend on in grey.
const watched = new Set();

// The fields that steps change on which the end depends; all, where the model was not asked.
function fieldsThatMatter() {
  const needed = story.steps.filter((step) => step.needed !== false);
  return new Set(needed.flatMap((step) => step.changed.map(([path]) => path)));
}

// Until a reader chooses: what the brief story changes, the latest first, but for history.
function watchedAtFirst() {
  const told = [...story.steps].reverse().filter((step) => step.told).flatMap((step) => step.changed.map(([path]) => path));
  return [...new Set(told)].filter((path) => !/(^|\.)ghost_/.test(path)).slice(0, 5);
}

function buildChoices() {
  const matter = fieldsThatMatter();
  const paths = Object.keys(story.initial).sort((a, b) => matter.has(b) - matter.has(a));
  const choices = paths.map((path) => {
    const box = element("input", { type: "checkbox", value: path, ...(watched.has(path) ? { checked: "" } : {}) });
    const why = matter.has(path) ? "" : "the end does not depend on what changes it";
    box.addEventListener("change", () => {
      if (box.checked) watched.add(path);
      else watched.delete(path);
      showWatched();
    });
    return element("label", { class: `code${matter.has(path) ? "" : " quiet"}`, title: why }, box, " ", path);
  });
  byId("watchable").replaceChildren(element("legend", {}, "Fields that change"), ...choices);
}

function showWatched() {
  const columns = Object.keys(story.initial).filter((path) => watched.has(path));
  const names = ["step", "who", ...columns].map((name) => element("th", { scope: "col" }, ...breakable(name)));
  const now = { ...story.initial };
  const rows = [element("tr", {}, element("td", {}, "0"), element("td", {}), ...columns.map((path) => element("td", { class: "code" }, now[path])))];
  story.steps.forEach((step, index) => {
    const changed = new Set(step.changed.map(([path]) => path));
    for (const [path, , after] of step.changed) now[path] = after;
    const cells = columns.map((path) => element("td", { class: "code" }, changed.has(path) ? element("b", {}, now[path]) : now[path]));
    const link = element("a", { href: linkTo(index + 1), title: wordsOf(step) }, String(index + 1));
    const touches = columns.some((path) => changed.has(path));
    rows.push(element("tr", { class: touches ? "" : "quiet" }, element("td", {}, link), element("td", {}, whoInShort(step)), ...cells));
  });
  const table = byId("watched");
  table.querySelector("thead").replaceChildren(element("tr", {}, ...names));
  table.querySelector("tbody").replaceChildren(...rows);
}

function openWatched() {
  if (!watched.size) for (const path of watchedAtFirst()) watched.add(path);
  buildChoices();
  showWatched();
}
