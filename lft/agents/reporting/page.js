"use strict";
const el = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "class") made.className = value;
    else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value !== null && value !== false) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children);
  return made;
};
const at = (id) => document.getElementById(id);
const labels = [...new Set(DATA.episodes.map((e) => e.label + (e.replicate ? ` (${e.replicate + 1})` : "")))];
const labelOf = (e) => e.label + (e.replicate ? ` (${e.replicate + 1})` : "");
const taskNames = [...new Set(DATA.episodes.map((e) => e.task))];
const environmentOf = (task) => (DATA.tasks[task] ? DATA.tasks[task].environment : task.split("/")[0]);
taskNames.sort((a, b) => environmentOf(a).localeCompare(environmentOf(b))); // stable: tasks keep their order
const found = new Map(DATA.episodes.map((e) => [`${e.task}\n${labelOf(e)}`, e]));
const episodeOf = (task, label) => found.get(`${task}\n${label}`);
const cells = new Map();
let current = null,
  step = 0;

function listTasks() {
  const body = el("tbody");
  let before = null;
  for (const task of taskNames) {
    const environment = environmentOf(task),
      about = DATA.environments[environment];
    if (environment !== before) {
      const words = about
        ? `${about.title} · ${about.family}, ${about.memory === "single" ? "one picture is enough" : "several pictures needed"}, ${about.dynamics}`
        : environment;
      body.append(
        el(
          "tr",
          { class: "environment" },
          el("th", { colspan: labels.length + 1, scope: "colgroup" }, el("span", {}, words))
        )
      );
      before = environment;
    }
    const row = el(
      "tr",
      {},
      el("th", { scope: "row", title: DATA.tasks[task] ? DATA.tasks[task].why : "" }, task)
    );
    for (const label of labels) row.append(el("td", {}, cellOf(episodeOf(task, label))));
    body.append(row);
  }
  const head = el(
    "tr",
    {},
    el("th", { scope: "col" }, "task"),
    ...labels.map((l) => el("th", { scope: "col" }, l))
  );
  at("tasks").append(
    el(
      "div",
      { class: "scroll", tabindex: 0, role: "region", "aria-label": "Tasks by model" },
      el("table", {}, el("thead", {}, head), body)
    )
  );
}

function cellOf(e) {
  if (!e) return "";
  const scored = e.score !== null && e.score !== undefined;
  const words = scored ? `${e.pass ? "✓ " : ""}${e.score.toFixed(0)}` : e.end.replace("_", " ");
  const made = el(
    "button",
    {
      class: `cell ${scored ? (e.pass ? "passed" : "failed") : ""}`,
      type: "button",
      disabled: !e.steps,
      "aria-label": `${e.task}, ${labelOf(e)}: ${scored ? `score ${e.score.toFixed(0)}, ${e.pass ? "passed" : "not passed"}, ` : ""}${e.end}`,
      title: e.reason || (e.steps ? e.end : `${e.end}; its pictures are not on this page (--strips)`),
      onclick: () => open(e),
    },
    words
  );
  cells.set(e, made);
  return made;
}

function open(e, focus = true) {
  if (!e || !e.steps) return;
  if (current) cells.get(current).removeAttribute("aria-current");
  current = e;
  step = 0;
  cells.get(e).setAttribute("aria-current", "true");
  const task = DATA.tasks[e.task],
    environment = DATA.environments[task.environment];
  at("episode").hidden = false;
  at("heading").textContent = `${environment.title}, ${e.task} · ${labelOf(e)}`;
  const score =
    e.score === null
      ? ""
      : `, score ${e.score.toFixed(1)} (random ${task.random_score.toFixed(0)}, expert ${task.expert_score.toFixed(0)})`;
  const retries = e.retries ? `, ${e.retries} answers not accepted` : "";
  at("about").textContent =
    `${e.end} after ${e.decisions} of ${task.decisions} decisions, ${e.pass ? "passed" : "not passed"}${score}${retries}. To pass: ${task.goal}. ${task.why || ""}\nRules: ${environment.rules.basic}`;
  at("strip").replaceChildren(
    ...e.steps.map((s, k) =>
      el(
        "figure",
        {
          role: "option",
          id: `step-${k}`,
          "aria-selected": "false",
          onclick: () => select(k),
        },
        el("img", { src: s.picture, alt: "", loading: "lazy" }),
        el(
          "figcaption",
          {},
          s.action
            ? el(
                "span",
                { class: s.expert ? (s.expert === s.action ? "passed" : "failed") : "" },
                `${k + 1}. ${s.action}`
              )
            : `${k + 1}. ${s.said.length ? "no action" : "end"}`,
          s.expert && s.expert !== s.action && s.action ? ` (expert: ${s.expert})` : ""
        )
      )
    )
  );
  at("shown").replaceChildren(
    ...task.clips
      .filter((c) => DATA.clips[c])
      .map((c) =>
        el(
          "div",
          {},
          el("p", { class: "about" }, c),
          el(
            "div",
            { class: "strip", tabindex: 0, role: "group", "aria-label": `Demonstration ${c}` },
            ...DATA.clips[c].map(([picture, words]) =>
              el(
                "figure",
                {},
                el("img", { src: picture, alt: words, loading: "lazy" }),
                el("figcaption", { "aria-hidden": "true" }, words)
              )
            )
          )
        )
      )
  );
  select(0);
  if (focus) (at("strip").focus({ preventScroll: true }), at("heading").scrollIntoView({ block: "start" }));
}

function select(k) {
  const steps = current.steps;
  k = Math.max(0, Math.min(steps.length - 1, k));
  const before = at(`step-${step}`);
  if (before) before.setAttribute("aria-selected", "false");
  step = k;
  const chosen = at(`step-${k}`),
    strip = at("strip"),
    s = steps[k];
  chosen.setAttribute("aria-selected", "true");
  strip.setAttribute("aria-activedescendant", chosen.id);
  strip.scrollLeft = chosen.offsetLeft - strip.clientWidth / 2 + chosen.clientWidth / 2;
  at("picture").src = s.picture;
  at("picture").alt = s.words;
  at("place").textContent =
    `before decision ${k + 1}` + (s.agrees ? "" : " · this is NOT the picture that the model saw");
  const facts = [["action", s.action || (s.said.length ? "none accepted" : "the episode has ended")]];
  if (s.expert) facts.push(["expert", s.expert + (s.action && s.expert !== s.action ? "  (another)" : "")]);
  facts.push(["state", s.words]);
  facts.push([
    "measures",
    Object.entries(s.measures)
      .map(([name, value]) => `${name} ${value}`)
      .join(", "),
  ]);
  s.said.forEach(([text, fault], n) =>
    facts.push([
      s.said.length > 1 ? `answer ${n + 1}` : "answer",
      text + (fault ? `\n(not accepted: ${fault.replace("_", " ")})` : ""),
    ])
  );
  at("facts").replaceChildren(...facts.flatMap(([name, words]) => [el("dt", {}, name), el("dd", {}, words)]));
}

function move(tasks, models) {
  let t = taskNames.indexOf(current.task),
    m = labels.indexOf(labelOf(current));
  for (;;) {
    t += tasks;
    m += models;
    if (t < 0 || m < 0 || t >= taskNames.length || m >= labels.length) return;
    const e = episodeOf(taskNames[t], labels[m]);
    if (e && e.steps) {
      const k = step;
      open(e);
      if (models) select(k);
      return;
    }
  }
}

document.addEventListener("keydown", (event) => {
  if (!current || event.ctrlKey || event.metaKey || event.altKey) return;
  const does = {
    ArrowRight: () => select(step + 1),
    ArrowLeft: () => select(step - 1),
    Home: () => select(0),
    End: () => select(current.steps.length - 1),
    ArrowDown: () => move(1, 0),
    ArrowUp: () => move(-1, 0),
    ".": () => move(0, 1),
    ",": () => move(0, -1),
    d: () => at("shown-heading").scrollIntoView(),
  }[event.key];
  if (does) {
    event.preventDefault();
    does();
  }
});
listTasks();
open(
  DATA.episodes.find((e) => e.steps),
  false
);
