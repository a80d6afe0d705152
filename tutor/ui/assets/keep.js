// What stands in the editor and is not yet saved, held in this browser tab together with the revision of the draft it grew from.
// A reload, a lost session and a restarted server find it again; the server decides whether it may take the draft's place.
class Keep {
  // The text changed. What the server has still to be told of an earlier session keeps the base that it has.
  note(data, text) {
    const held = this.read(data);
    const { base, owner, sheet } = held && held.owner !== data.owner ? held : data;
    this.write(data, { text, base, owner, sheet });
  }

  // The server told how things stand: what it saved need not be held any longer.
  heard(data) {
    const held = this.read(data);
    if (!held) return;
    const there = this.same(held.text, data.text);
    const { base, owner, sheet } = data;
    if (there && data.kept) this.drop(data);
    else if (held.owner === owner ? held.sheet === sheet : there && held.base === base) this.write(data, { ...held, base, owner, sheet });
  }

  // A new editor or a new session: what the server has to be told, or null. A text that was replaced on purpose is not held on to.
  lost(data) {
    const held = this.read(data);
    if (!held) return null;
    const own = held.owner === data.owner;
    const there = this.same(held.text, data.text);
    const done = (own && held.sheet !== data.sheet) || (there && data.kept);
    if (done) this.drop(data);
    return done || (own && there) ? null : held;
  }

  same(one, other) {
    return one.replace(/\r\n?/g, "\n") === other.replace(/\r\n?/g, "\n");
  }

  read(data) {
    try {
      return JSON.parse(sessionStorage.getItem(`draft:${data.place}`));
    } catch {
      return null; // no storage here: then only what was sent is kept
    }
  }

  write(data, held) {
    try {
      sessionStorage.setItem(`draft:${data.place}`, JSON.stringify(held));
    } catch {
      this.drop(data); // rather nothing than an older text
    }
  }

  drop(data) {
    try {
      sessionStorage.removeItem(`draft:${data.place}`);
    } catch {
      // no storage here
    }
  }
}
