// Keys, colours, the answer as it comes, lazy levels of the hierarchy, judgements.
"use strict";
(() => {
  const $ = (what, where = document) => where.querySelector(what);
  const $$ = (what, where = document) => [...where.querySelectorAll(what)];
  const say = (text) => { $("#say").textContent = text; };
  const csrf = () => $('meta[name="csrf"]').content;

  // Colours -------------------------------------------------------------------------------
  const THEMES = ["auto", "light", "dark"];
  const SIGNS = { auto: ["◐", "as the system"], light: ["○", "light"], dark: ["●", "dark"] };
  const button = $("#theme");
  const shown = () => {
    const [sign, words] = SIGNS[document.documentElement.dataset.theme];
    button.textContent = sign;
    button.setAttribute("aria-label", `Colours: ${words}`);
    button.title = `Colours: ${words}`;
  };
  const turn = () => {
    const root = document.documentElement;
    root.dataset.theme = THEMES[(THEMES.indexOf(root.dataset.theme) + 1) % 3];
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* storage is off */ }
    shown();
    say(button.title);
  };
  button.hidden = false;
  button.addEventListener("click", turn);
  shown();

  // Keys ----------------------------------------------------------------------------------
  let current = -1;
  const rows = () => $$(".hit, .row, .turn, :is(main, .part, .part > details) > .stack > tbody > tr").filter((one) => one.offsetParent !== null);
  const go = (step) => {
    const all = rows();
    if (!all.length) return;
    all.forEach((one) => one.classList.remove("at"));
    current = Math.max(0, Math.min(all.length - 1, current + step));
    const one = all[current];
    one.classList.add("at");
    const link = $("a, summary", one);
    if (link) link.focus({ preventScroll: true });
    one.scrollIntoView({ block: "nearest" });
  };
  const places = { h: "/tree", o: "/overview", c: "/threads", a: "/" };
  let prefix = 0;
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName);
    if (typing) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    if (Date.now() - prefix < 1000 && places[event.key]) {
      location.href = places[event.key];
      return;
    }
    prefix = event.key === "g" ? Date.now() : 0;
    const act = {
      "/": () => { const box = $("#say-next") || $("#q"); box.focus(); box.select(); },
      "?": () => $("#keys").showModal(),
      j: () => go(1), k: () => go(-1), t: turn,
      o: () => { const one = rows()[current]; if (one) $$("details", one).forEach((d) => { d.open = !d.open; }); },
    }[event.key];
    if (act) { event.preventDefault(); act(); }
  });

  // Server-sent events over fetch, so that a form's token can go along ------------------------
  const events = async (url, options, on) => {
    const answer = await fetch(url, { ...options, headers: { accept: "text/event-stream", ...(options.headers || {}) } });
    if (!answer.ok) {
      const told = await answer.json().catch(() => ({}));
      on("error", told.error || `the server answers ${answer.status}`);
      return;
    }
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let held = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      held += value;
      const parts = held.split("\n\n");
      held = parts.pop();
      for (const part of parts) {
        const kind = /^event: (\w+)$/m.exec(part), data = /^data: (.*)$/m.exec(part);
        if (kind && data) on(kind[1], JSON.parse(data[1]));
      }
    }
  };
  const follow = async (body, url, options = {}) => {
    const wait = $(".wait", body);
    if (wait) wait.hidden = false;
    let text = null;
    const failed = (words) => {
      body.textContent = "";
      const p = document.createElement("p");
      p.className = "problem";
      p.textContent = words;
      body.append(p);
    };
    try {
      await events(url, options, (kind, data) => {
        if (kind === "text") {
          if (!text) { body.textContent = ""; text = document.createElement("p"); text.className = "stream"; body.append(text); }
          text.append(data);
        } else if (kind === "done") {
          body.innerHTML = data; // made by our own templates, which escape everything
          judging(body);
        } else failed(data);
      });
    } catch { failed("the connection to the server broke; load the page again"); }
    body.setAttribute("aria-busy", "false");
  };
  const answer = $("#answer[data-stream]");
  if (answer) follow($(".body", answer), answer.dataset.stream);

  // Conversations -----------------------------------------------------------------------------
  const next = $("form.next");
  if (next) next.addEventListener("submit", async (event) => {
    event.preventDefault();
    const box = $("#say-next"), typed = box.value.trim();
    if (!typed) return;
    const turn = $("#turn").content.cloneNode(true).firstElementChild;
    $(".typed", turn).textContent = typed;
    $(".turns").append(turn);
    box.value = "";
    turn.scrollIntoView({ block: "start" });
    const body = new URLSearchParams({ q: typed });
    await follow($(".body", turn), next.action, { method: "POST", body, headers: { "x-csrf": csrf() } });
    box.focus();
  });

  // Judgements --------------------------------------------------------------------------------
  const judging = (where) => $$("form.judge, form.right", where).forEach((form) => {
    if (form.dataset.ready) return;
    form.dataset.ready = "1";
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const body = new URLSearchParams(new FormData(form, event.submitter));
      const told = await fetch(form.action, { method: "POST", body, headers: { accept: "application/json" } })
        .then((r) => r.json()).catch(() => ({ error: "the server does not answer" }));
      if (told.error) { say(told.error); form.title = told.error; $(".told", form)?.remove(); }
      $$("button", form).forEach((one) => one.setAttribute("aria-pressed", String(!told.error && one === event.submitter)));
      const words = told.error || "Kept, thank you.";
      say(words);
      if (form.classList.contains("right")) {
        const p = $(".told", form) || form.appendChild(document.createElement("p"));
        p.className = "told"; p.textContent = words;
      }
    });
  });
  judging(document);

  // The hierarchy: a level is fetched when it is opened -----------------------------------------
  const level = async (box) => {
    box.setAttribute("aria-busy", "true");
    const got = await fetch(box.dataset.level).then((r) => (r.ok ? r.text() : Promise.reject(r))).catch(() => null);
    box.removeAttribute("aria-busy");
    if (got === null) { say("This level cannot be loaded."); return; }
    const made = document.createElement("div");
    made.innerHTML = got; // made by our own templates, which escape everything
    const first = $(".row", made);
    box.replaceWith(...made.childNodes);
    if (document.activeElement === document.body && first) $("summary, a", first)?.focus();
  };
  document.addEventListener("toggle", (event) => {
    const box = event.target.open && $(":scope > [data-level]", event.target);
    if (box) level(box);
  }, true);
  document.addEventListener("click", (event) => {
    const more = event.target.closest(".more-level a.page");
    if (more) { event.preventDefault(); level(more.parentElement); }
  });

  // A page that takes long: from the second on that it is waited for, the present one says so ------
  let clock = 0;
  const arrived = () => { clearInterval(clock); clock = 0; $(".wait-bar")?.remove(); };
  const waiting = () => {
    arrived();
    const began = Date.now();
    clock = setInterval(() => {
      const seconds = Math.floor((Date.now() - began) / 1000);
      if (seconds < 1) return;
      let bar = $(".wait-bar");
      if (!bar) {
        bar = document.createElement("p");
        bar.className = "wait wait-bar";
        document.body.append(bar);
        say("Working on the page; the first time of a large design may take a while.");
      }
      bar.textContent = `Working, ${seconds} s${seconds > 4 ? ": the first time of a large design takes longest" : ""}`;
      if (seconds > 180) arrived();
    }, 250);
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest?.("a[href]");
    if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (link.target || link.hasAttribute("download") || link.origin !== location.origin || link.href.split("#")[0] === location.href.split("#")[0]) return;
    waiting();
  });
  document.addEventListener("submit", (event) => {
    if (!event.defaultPrevented && event.target.method !== "dialog") waiting();
  });
  addEventListener("pageshow", arrived);

  // Lines of a source: #L10-L20 marks a range ---------------------------------------------------
  const range = () => {
    $$(".src .on").forEach((one) => one.classList.remove("on"));
    const found = /^#L(\d+)(?:-L(\d+))?$/.exec(location.hash);
    if (!found) return;
    const first = +found[1], last = Math.min(+(found[2] || first), first + 5000);
    for (let n = first; n <= last; n++) $(`#L${n}`)?.classList.add("on");
    $(`#L${first}`)?.scrollIntoView({ block: "center" });
  };
  if ($(".src")) { range(); addEventListener("hashchange", range); }
})();
