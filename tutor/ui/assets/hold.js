// A form sends nothing before it is submitted. Whoever turns to another question first takes along what stands in the fields.
const FORM = ".st-key-questions [data-testid='stForm']";
const holders = new WeakMap();

export default function ({ parentElement, data, setTriggerValue }) {
  const holder = holders.get(parentElement) ?? new Holder();
  holders.set(parentElement, holder);
  holder.update(data, setTriggerValue);
  return () => { holder.close(); holders.delete(parentElement); };
}

class Holder {
  constructor() {
    this.onturn = (event) => this.turn(event);
    for (const kind of ["click", "keydown"]) document.addEventListener(kind, this.onturn, true);
    // What was there before anything was written is no news.
    this.onfocus = (event) => { if (event.target.closest?.(FORM)) this.known ??= this.read(); };
    document.addEventListener("focusin", this.onfocus, true);
  }

  update(data, send) {
    if (this.data?.key !== data.key) this.known = undefined;
    this.data = data;
    this.send = send;
  }

  // Anything but the fields themselves and what submits them may lead to another question.
  turn(event) {
    const questions = event.target.closest?.(".st-key-questions");
    if (!questions || event.target.closest(FORM) || this.known === undefined) return;
    const now = this.read();
    if (now === this.known) return;
    this.known = now;
    this.send("hold", { question: this.data.question, parts: JSON.parse(now) });
  }

  // The text of every part, or the number of the choice.
  read() {
    const parts = Array.from({ length: this.data.parts }, (_, number) => {
      const field = document.querySelector(`.st-key-${this.data.key}-${number}`);
      const choices = [...(field?.querySelectorAll("input[type='radio']") ?? [])];
      return choices.length ? choices.findIndex((one) => one.checked) : field?.querySelector("input, textarea")?.value ?? "";
    });
    return JSON.stringify(parts);
  }

  close() {
    for (const kind of ["click", "keydown"]) document.removeEventListener(kind, this.onturn, true);
    document.removeEventListener("focusin", this.onfocus, true);
  }
}
