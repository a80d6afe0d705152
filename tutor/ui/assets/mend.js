// Mends the Ace editor inside streamlit-ace's iframe, which has the page's own origin, and owns the Check button.
// The server's answer to a check is a new `answered`. A remount makes a new editor, hence the repeated look.
// Ace reports 200 ms after the last key; such a report must not reach the server after the page has changed.
const LOOK_EVERY = 150; // milliseconds
const GIVE_UP_BUSY = 8000;
const REPORTED = 1000; // after the last key: by then Ace's report is dealt with
const REFOCUS = 3000; // after a hint was asked for
const PAUSE = 300; // after the last key: by then Ace's report is on its way
const HOLD_MOST = 10000;
const LINE = ".st-key-results a[href^='#line-']";
const NARROW = matchMedia("(max-width: 640px)");
const desks = new WeakMap();
const rooms = new Map(); // place → lines that its editor has room for

export default function ({ parentElement, data, setTriggerValue }) {
  const desk = desks.get(parentElement) ?? new Desk(parentElement);
  desks.set(parentElement, desk);
  desk.update(data, setTriggerValue);
  return () => { desk.close(); desks.delete(parentElement); };
}

class Desk {
  constructor(root) {
    this.button = root.querySelector("button");
    this.hint = root.querySelector(".hint");
    this.news = root.querySelector(".news");
    this.button.onclick = () => this.check();
    this.timer = setInterval(() => this.look(), LOOK_EVERY);
    this.onclick = (event) => this.asks(event) || this.goes(event) || this.leave(event);
    document.addEventListener("click", this.onclick, true);
    this.onblur = (event) => { if (event.target.matches?.(".st-key-plain textarea")) this.typed = performance.now(); };
    document.addEventListener("focusout", this.onblur, true); // the moment a text area reports
    this.keep = new Keep();
    this.oninput = (event) => { if (event.target === this.area()) this.keep.note(this.data, event.target.value); };
    document.addEventListener("input", this.oninput, true);
    const key = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ Enter" : "Ctrl+Enter";
    this.hint.textContent = matchMedia("(pointer: coarse)").matches ? "" : `${key} checks · Esc, then Tab leaves the editor`;
  }

  update(data, send) {
    this.data = data;
    this.send = send;
    this.keep.heard(data);
    const answer = this.answered !== data.answered;
    this.answered = data.answered;
    if (answer) this.setBusy(false);
    if (answer && this.again) this.check();
    if (this.news.textContent !== data.news) this.news.textContent = data.news;
    this.look();
  }

  // The editor on the page now, or null: not there yet, or not as we know it.
  find() {
    const frame = document.querySelector(".st-key-editor iframe");
    try {
      return [frame, frame.contentDocument.querySelector("#ace-editor").env.editor];
    } catch {
      return [frame, null];
    }
  }

  look() {
    const [frame, editor] = this.find();
    const root = document.documentElement;
    this.tend();
    this.outcome();
    const area = this.area();
    if (area) this.resume(area);
    root.toggleAttribute("data-editor-mended", Boolean(editor));
    this.button.disabled = !editor;
    if (!editor) return;
    if (!editor.mended) this.mend(frame, editor);
    editor.desk = this;
    this.resume(editor);
    this.fit(editor);
    if (editor.revision !== this.data.revision) {
      editor.revision = this.data.revision;
      editor.session.setAnnotations(this.data.marks);
      if (this.pointing && this.data.revision) this.point(editor);
    }
  }

  // The results show an outcome that marks and news do not know of: a check took longer than the server waits for it.
  outcome() {
    const shown = Number(document.querySelector("[data-done]")?.dataset.done ?? 0);
    if (shown <= Math.max(this.data.done, this.told ?? 0)) return;
    this.told = shown;
    this.send("outcome", { shown });
  }

  // The line that a check speaks of first comes into view; caret and focus stay where they are.
  point(editor) {
    this.pointing = false;
    const row = this.data.marks[0]?.row;
    if (row === undefined || editor.isRowFullyVisible(row)) return;
    editor.scrollToLine(row, true, !matchMedia("(prefers-reduced-motion: reduce)").matches);
  }

  newest() {
    const [, editor] = this.find();
    return editor?.getValue() ?? this.area()?.value ?? this.data.text;
  }

  area() {
    return document.querySelector(".st-key-plain textarea");
  }

  // A new editor, or a new session behind it: the text that this tab holds goes back to where it was.
  resume(editor) {
    const session = `${this.data.owner} ${this.data.sheet}`;
    if (editor.resumed === session) return;
    editor.resumed = session;
    const held = this.keep.lost(this.data);
    if (!held) return;
    const { text, base, owner } = held;
    const shown = Boolean(editor.getValue);
    if (shown && !this.keep.same(editor.getValue(), text)) editor.setValue(text, 1);
    this.send("resume", { text, base, owner, shown });
  }

  mend(frame, editor) {
    editor.mended = true;
    editor.setOptions({ enableLiveAutocompletion: false });
    const area = editor.textInput.getElement();
    area.setAttribute("aria-label", this.data.label);
    area.setAttribute("aria-multiline", "true");
    frame.title = "Code editor";
    Object.assign(frame.contentDocument.body.style, { margin: "0", overflow: "hidden" });
    editor.on("change", () => {
      editor.desk.typed = performance.now();
      editor.desk.pointing = false;
      editor.desk.keep.note(editor.desk.data, editor.getValue());
      editor.desk.fit(editor);
    });
    editor.on("change", () => editor.session.getAnnotations().length && editor.session.clearAnnotations());
    // Ace sees keys on the text area itself, so they are caught on the way down.
    frame.contentWindow.addEventListener("keydown", (event) => editor.desk.key(event, editor), true);
  }

  // Room for the code: the editor grows with it and does not shrink again, so that nothing below moves up and down while one types. The
  // page knows the height, so a remounted editor has it from the start. Where there is little width, long lines are wrapped.
  fit(editor) {
    if (editor.narrow !== NARROW.matches) {
      editor.narrow = NARROW.matches;
      editor.setOptions({ wrap: editor.narrow, indentedSoftWrap: false, fontSize: editor.narrow ? 13 : 15 });
    }
    const [least, most] = this.data.lines;
    const lines = Math.min(most, Math.max(rooms.get(this.data.place) ?? least, editor.session.getScreenLength()));
    rooms.set(this.data.place, lines);
    const height = `${lines * editor.renderer.lineHeight + 16}px`; // with room for a bar to scroll sideways
    if (editor.container.style.height === height || !editor.renderer.lineHeight) return;
    document.documentElement.style.setProperty("--editor-height", height);
    editor.container.style.height = height;
    editor.resize();
  }

  key(event, editor) {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      event.stopImmediatePropagation();
      this.check();
    } else if (event.key === "Tab" && editor.leaving) {
      event.stopImmediatePropagation(); // the browser's own Tab now moves on
    }
    if (event.key !== "Shift") editor.leaving = event.key === "Escape";
  }

  check() {
    const [, editor] = this.find();
    if (!editor) return;
    this.again = this.busy; // one more check as soon as this one is answered
    if (this.busy) return;
    this.setBusy(true);
    this.pointing = true;
    this.send("check", { text: editor.getValue(), n: Date.now() });
  }

  // The button for a hint was clicked. True if it is the second half of a double click, which asks for nothing.
  asks(event) {
    if (!event.target.closest?.(".st-key-next-hint button")) return false;
    this.asked = performance.now();
    if (event.detail < 2) return false;
    event.preventDefault();
    event.stopImmediatePropagation();
    return true;
  }

  // A line that the results speak of was clicked, or chosen by keyboard: the caret goes there. True if it was one.
  goes(event) {
    const link = event.target.closest?.(LINE);
    const [frame, editor] = this.find();
    const area = this.area();
    if (!link || !(editor || area) || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return false;
    event.preventDefault();
    event.stopImmediatePropagation();
    const line = Number(link.hash.slice("#line-".length));
    const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
    if (editor) {
      frame.contentWindow.focus();
      editor.focus();
      editor.gotoLine(line, 0, false);
      editor.scrollToLine(line - 1, true, false);
    } else {
      const start = area.value.split("\n").slice(0, line - 1).join("\n").length + (line > 1);
      area.focus({ preventScroll: true });
      area.setSelectionRange(start, start);
      area.scrollTop = Math.max(0, (line - 1) * parseFloat(getComputedStyle(area).lineHeight) - area.clientHeight / 2);
    }
    (frame ?? area).scrollIntoView({ block: "nearest", behavior });
    return true;
  }

  // A hint that was asked for, a reply and the word about another tab are read out. After a hint the focus goes on to the button for the
  // next one, which is another element.
  tend() {
    for (const told of document.querySelectorAll(".st-key-diagnosis, .st-key-reply, .st-key-other-tab")) told.setAttribute("aria-live", "polite");
    for (const link of document.querySelectorAll(LINE)) link.ariaLabel = `Go to ${link.textContent} in the editor`;
    if (!this.asked || document.activeElement !== document.body) return;
    if (performance.now() - this.asked < REFOCUS) document.querySelector(".st-key-next-hint button")?.focus();
    this.asked = undefined;
  }

  // A link to another page straight after a key: send the newest text, and follow the link when the server has heard of it and of
  // Ace's own report before it, and the page has come to rest. A report that comes after the page has changed leaves it empty.
  leave(event) {
    const link = event.target.closest?.("[data-testid^='stPageLink'] a, a[data-testid^='stPageLink']");
    if (!link || this.released || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (performance.now() - (this.typed ?? -REPORTED) > REPORTED && !this.keep.read(this.data)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (this.leaving) return;
    const since = performance.now();
    let sent;
    this.leaving = setInterval(() => {
      const held = performance.now() - since;
      if (!sent && performance.now() - (this.typed ?? -PAUSE) > PAUSE) this.send("leave", { text: this.newest(), n: (sent = Date.now()) });
      const calm = document.querySelector("[data-testid='stApp']")?.dataset.testScriptState === "notRunning";
      if (!(sent && this.data.heard === sent && calm) && held < HOLD_MOST) return;
      clearInterval(this.leaving);
      this.leaving = this.typed = undefined;
      this.released = true;
      link.click();
      this.released = false;
    }, 50);
  }

  setBusy(busy) {
    clearTimeout(this.waking);
    this.busy = busy;
    this.button.setAttribute("aria-disabled", busy); // `disabled` would throw the focus away
    this.button.textContent = busy ? "Checking…" : "Check";
    if (busy) this.waking = setTimeout(() => this.setBusy(false), GIVE_UP_BUSY);
  }

  close() {
    clearInterval(this.timer);
    clearInterval(this.leaving);
    document.removeEventListener("click", this.onclick, true);
    document.removeEventListener("focusout", this.onblur, true);
    document.removeEventListener("input", this.oninput, true);
    clearTimeout(this.waking);
    document.documentElement.removeAttribute("data-editor-mended");
  }
}
