// On top of pages that work without it: replace <main> instead of loading a page,
// follow a job by events, and a few keys. Nothing here holds state.
"use strict";

let newest = 0, followed = [], shown = location.href.split("#")[0];
let sending = Promise.resolve(), waiting = 0;

function send(url, options) {
  // One change after the other: of two at once the older one may be handled last, and
  // puts back what the newer one changed.
  waiting += 1;
  const answer = sending.then(() => { waiting -= 1; return fetch(url, options); });
  sending = answer.catch(() => {});
  return answer;
}

async function show(url, options, push) {
  const turn = ++newest;
  // The end of a job would ask for the same page, and take its notices with it.
  for (const events of followed.splice(0)) events.close();
  document.body.setAttribute("aria-busy", "true");
  try {
    let answer, asked = new URL(url, location.href);
    for (let next = true; next; ) {
      const asking = { ...options, headers: { "x-studio-script": "1" } };
      answer = await (asking.method === "POST" ? send : fetch)(asked, asking);
      next = answer.headers.get("x-studio-next");
      // Only by the script: a redirection would hide the place on the page.
      if (next) { asked = new URL(next, location.href); options = {}; }
    }
    const type = answer.headers.get("content-type") || "";
    if (!type.startsWith("text/html")) { location.assign(asked); begin(); return; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (turn !== newest) return;  // something newer was asked for meanwhile
    const focused = document.activeElement && document.activeElement.id;
    for (const part of ["main", "nav", "header"]) {
      const found = page.querySelector(part), here = document.querySelector(part);
      if (found && here) here.replaceWith(found);
    }
    document.title = page.title;
    const to = answer.redirected ? answer.url : asked.href;
    // The page of a job that has ended is no place to go back to.
    const over = location.pathname.startsWith("/jobs/");
    if (push || over) history[over ? "replaceState" : "pushState"](null, "", to);
    shown = location.href.split("#")[0];
    begin();
    const wanted = document.querySelector("main [autofocus]");
    const again = wanted || (focused && document.getElementById(focused));
    (again || document.getElementById("main")).focus({ preventScroll: Boolean(again) });
    if (wanted) wanted.scrollIntoView({ block: "center" });
    const place = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (push && place) place.scrollIntoView();
    else if (push && !again) scrollTo(0, 0);
  } catch (error) {
    if (turn !== newest) return;
    fail("Studio does not answer: it was stopped, or the connection is gone. Start it again with “anon studio”, and open the address that it prints. What was sent last may not have been saved.");
  } finally {
    document.body.removeAttribute("aria-busy");
  }
}

function fail(words) {
  const main = document.getElementById("main"), said = main.querySelector(".unanswered") || document.createElement("p");
  said.className = "notice error unanswered";
  said.setAttribute("role", "alert");
  said.textContent = words;
  main.prepend(said);
  for (const button of main.querySelectorAll("button[data-said]")) {
    button.disabled = false;
    button.textContent = button.dataset.said;
  }
  said.scrollIntoView({ block: "nearest" });
}

function follow(section) {
  const events = new EventSource(section.dataset.events);
  followed.push(events);
  events.onerror = () => {
    if (section.isConnected) section.querySelector(".at").textContent = "Studio does not answer; it may have been stopped";
  };
  events.onmessage = (event) => {
    const facts = JSON.parse(event.data), bar = section.querySelector("progress");
    if (!section.isConnected) { events.close(); return; }
    if (facts.total) { bar.max = facts.total; bar.value = facts.done; }
    section.querySelector(".at").textContent = facts.at || facts.state;
    section.querySelector(".seconds").textContent = facts.seconds;
    if (["done", "failed", "cancelled"].includes(facts.state)) {
      events.close();
      show(section.dataset.page, {}, true);
    }
  };
}

function slide(number) {
  // A slider beside a number; without a script the number is enough.
  const slider = document.createElement("input");
  slider.type = "range";
  for (const key of ["min", "max", "step", "value"]) slider[key] = number[key];
  slider.id = `${number.id}-slider`;
  slider.setAttribute("aria-label", `${number.labels[0].textContent}, as a slider`);
  slider.addEventListener("input", () => { number.value = slider.value; });
  slider.addEventListener("change", () => number.form.requestSubmit());
  number.after(slider);
}

function begin() {
  for (const number of document.querySelectorAll("[data-slider][min][max]")) {
    if (!document.getElementById(`${number.id}-slider`)) slide(number);
  }
  for (const section of document.querySelectorAll("[data-events]")) follow(section);
}

document.addEventListener("submit", (event) => {
  const form = event.target, button = event.submitter;
  if (form.dataset.whole !== undefined || (button && button.formTarget)) return;
  event.preventDefault();
  if (button && button.dataset.says) {
    button.dataset.said = button.textContent;
    // After the form was read: a disabled button sends nothing.
    setTimeout(() => { button.disabled = true; button.textContent = button.dataset.says; });
  }
  const data = new FormData(form, button), action = (button && button.getAttribute("formaction")) || form.getAttribute("action") || location.href;
  // By attribute: a field that is called "method" would hide the form's own.
  const method = (button && button.getAttribute("formmethod")) || form.getAttribute("method") || "get";
  if (method.toLowerCase() === "get") {
    const url = new URL(action, location.href);
    url.search = new URLSearchParams(data);
    show(url, {}, true);
  } else {
    const many = form.getAttribute("enctype") === "multipart/form-data";
    show(action, { method: "POST", body: many ? data : new URLSearchParams(data) }, true);
  }
});

document.addEventListener("change", (event) => {
  const form = event.target.form;
  if (form && event.target.dataset.now !== undefined) form.requestSubmit();
});

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
  if (/^(input|textarea|select)$/i.test(event.target.tagName)) return;
  const form = document.querySelector(`header form[action$="${event.shiftKey ? "redo" : "undo"}"]`);
  if (form && !form.querySelector("button").disabled) { event.preventDefault(); form.requestSubmit(); }
});

addEventListener("beforeunload", (event) => {
  // What waits for its turn would be lost; the browser asks whether to stay.
  if (waiting) event.preventDefault();
});

addEventListener("popstate", () => {
  // A link to a place of this page is none to another one.
  if (location.href.split("#")[0] !== shown) show(location.href, {}, false);
});
begin();
