// Mends the Ace editor inside streamlit-ace's iframe, which has the page's own origin, and owns the Check button.
// The server's answer to a check is a new `answered`. A remount makes a new editor, hence the repeated look.
// Ace reports 200 ms after the last key; such a report must not reach the server after the page has changed.
const LOOK_EVERY = 150; // milliseconds
const GIVE_UP_BUSY = 8000;
const REPORTED = 1000; // after the last key: by then Ace's report is dealt with
const REFOCUS = 3000; // after a hint was asked for
const HOLD_LEAST = 350;
const HOLD_MOST = 2000;
const desks = new WeakMap();

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
    this.onclick = (event) => this.asks(event) || this.leave(event);
    document.addEventListener("click", this.onclick, true);
    this.onblur = (event) => { if (event.target.matches?.(".st-key-plain textarea")) this.typed = performance.now(); };
    document.addEventListener("focusout", this.onblur, true); // the moment a text area reports
    const key = /Mac|iPhone|iPad/.test(navigator.platform) ? "⌘ Enter" : "Ctrl+Enter";
    this.hint.textContent = matchMedia("(pointer: coarse)").matches ? "" : `${key} checks · Esc, then Tab leaves the editor`;
  }

  update(data, send) {
    this.data = data;
    this.send = send;
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
    root.toggleAttribute("data-editor-mended", Boolean(editor));
    this.button.disabled = !editor;
    if (!editor) return;
    if (!editor.mended) this.mend(frame, editor);
    editor.desk = this;
    if (editor.revision !== this.data.revision) {
      editor.revision = this.data.revision;
      editor.session.setAnnotations(this.data.marks);
    }
  }

  mend(frame, editor) {
    editor.mended = true;
    editor.setOptions({ enableLiveAutocompletion: false });
    const area = editor.textInput.getElement();
    area.setAttribute("aria-label", this.data.label);
    area.setAttribute("aria-multiline", "true");
    frame.title = "Code editor";
    Object.assign(frame.contentDocument.body.style, { margin: "0", overflow: "hidden" });
    frame.style.setProperty("height", `${this.data.height}px`, "important");
    editor.on("change", () => { editor.desk.typed = performance.now(); });
    editor.on("change", () => editor.session.getAnnotations().length && editor.session.clearAnnotations());
    // Ace sees keys on the text area itself, so they are caught on the way down.
    frame.contentWindow.addEventListener("keydown", (event) => editor.desk.key(event, editor), true);
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

  // A hint that was asked for is read out, and the focus goes on to the button for the next one, which is another element.
  tend() {
    for (const told of document.querySelectorAll(".st-key-diagnosis, .st-key-reply")) told.setAttribute("aria-live", "polite");
    if (!this.asked || document.activeElement !== document.body) return;
    if (performance.now() - this.asked < REFOCUS) document.querySelector(".st-key-next-hint button")?.focus();
    this.asked = undefined;
  }

  // A link to another page straight after a key: send the newest text, and follow the link when the page has come to rest.
  leave(event) {
    const link = event.target.closest?.("[data-testid^='stPageLink'] a, a[data-testid^='stPageLink']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    if (performance.now() - (this.typed ?? -REPORTED) > REPORTED) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (this.leaving) return;
    const [, editor] = this.find();
    if (editor) this.send("leave", { text: editor.getValue(), n: Date.now() });
    const since = performance.now();
    this.leaving = setInterval(() => {
      const held = performance.now() - since;
      const calm = document.querySelector("[data-testid='stApp']")?.dataset.testScriptState === "notRunning";
      if (held < HOLD_LEAST || (!calm && held < HOLD_MOST)) return;
      clearInterval(this.leaving);
      this.leaving = this.typed = undefined;
      link.click();
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
    clearTimeout(this.waking);
    document.documentElement.removeAttribute("data-editor-mended");
  }
}
