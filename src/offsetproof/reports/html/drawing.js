"use strict";
// What the pages share: elements, tables of changes, and queues as rows of offsets. All text is set as text.
const SVG = "http://www.w3.org/2000/svg";
const byId = (id) => document.getElementById(id);

function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}

function drawn(tag, attributes) {
  const made = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

function heading(text) {
  return element("h2", {}, text);
}

// A name may be broken behind its points and underscores.
function breakable(text) {
  return text.split(/(?<=[._\]])/).flatMap((part) => [part, element("wbr", {})]);
}

function tableOfChanges(changed) {
  const table = element("table", { class: "changes" });
  const names = ["field", "before", "after"].map((name) => element("th", { scope: "col" }, name));
  table.append(element("thead", {}, element("tr", {}, ...names)));
  const body = element("tbody", {});
  for (const [path, old, now] of changed) {
    const isHistory = /(^|\.)ghost_/.test(path);
    const cells = [path, old, now].map((text, place) => element("td", { class: `code${place === 1 ? " old" : ""}` }, ...breakable(text)));
    body.append(element("tr", { class: isHistory ? "history" : "", ...(isHistory ? { title: "history that only claims read" } : {}) }, ...cells));
  }
  table.append(body);
  return table;
}

function queueOf(queue, before) {
  const width = Math.max(2.6, Math.min(5, 22 / (queue.cells.length + 1)));
  const made = element("div", { class: "queue", role: "img", "aria-label": inWords(queue), tabindex: 0 });
  made.style.setProperty("--cell", `${width}rem`);
  const cells = element("div", { class: "cells" });
  queue.cells.forEach((mark_, place) => cells.append(element("div", { class: `cell ${mark_}` }, element("b", {}, String(queue.first + place)), element("small", {}, mark_))));
  cells.append(element("div", { class: "end" }, queue.cells.length ? "end" : "no message yet"));
  made.append(cells);
  const now = offsetsByWords(queue);
  const old = offsetsByWords(before);
  const left = offsetsByWords(before);
  for (const [words, offset] of queue.pointers) {
    const isNew = before !== null && !takeOut(left.get(words) || [], offset);
    const isSame = now.get(words).length === 1 && (old.get(words) || []).length === 1;
    const pointer = element("div", { class: `pointer${isNew ? " moved" : ""}` }, element("span", { class: "tip" }, "▲"), element("span", {}, `${words} = ${offset}${isNew && isSame ? ` (was ${old.get(words)[0]})` : ""}`));
    const place = Math.max(0, offset - queue.first);
    pointer.style.paddingLeft = `min(calc(${place} * var(--cell) + .45rem), 70%)`;
    made.append(pointer);
  }
  return element("div", {}, queue.name === "queue" ? "" : element("h3", { class: "small" }, queue.name), made);
}

// Where pointers are, by their words. Those of several with the same words cannot be told apart: which of them has moved
// is not known, only that an offset is there that was not.
function offsetsByWords(queue) {
  const found = new Map();
  for (const [words, offset] of queue ? queue.pointers : []) found.set(words, [...(found.get(words) || []), offset]);
  return found;
}

// Whether the value was among these; it is taken out of them, once.
function takeOut(values, value) {
  const place = values.indexOf(value);
  if (place >= 0) values.splice(place, 1);
  return place >= 0;
}

function inWords(queue) {
  const cells = queue.cells.map((mark_, place) => `offset ${queue.first + place} ${mark_}`);
  return [queue.name, ...cells, ...queue.pointers.map(([words, offset]) => `${words} ${offset}`)].join("; ");
}
