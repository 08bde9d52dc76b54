// Turns on their way to the appliance. They are on disk before they are sent, so that nothing is lost while it is away, and
// carry ids, so that nothing is doubled when one is sent twice.

import { appendFile, mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";

/** @typedef {{ id: string, role: string, text: string, at: string }} Message */
/** @typedef {{ agentId: string | undefined, key: string, message: Message }} Entry */

const MOST_BYTES = 64 * 1024 * 1024;
const BATCH = 200;
const LONGEST_PAUSE_MS = 5 * 60_000;

const SHARED = Symbol.for("memory-appliance.outbox");
/**
 * Of each file whose turn it is to write, and the sending that is under way. OpenClaw loads the plugin more than once into
 * one process, for its hooks and for its engine.
 * @type {Map<string, { turn: Promise<unknown>, sending?: Promise<void> }>}
 */
const files = ((/** @type {any} */ (globalThis))[SHARED] ??= new Map());

export class Outbox {
  #place;
  #appliance;
  #logger;
  #pauseMs = 1000;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /** @param {() => string} place where the file is, asked when it is needed @param {import("./appliance.js").Appliance} appliance @param {import("./appliance.js").Logger} logger */
  constructor(place, appliance, logger) {
    this.#place = place;
    this.#appliance = appliance;
    this.#logger = logger;
  }

  get #file() {
    return this.#place();
  }

  /** Keep messages of one chat; they are on disk when this returns. @param {string | undefined} agentId @param {string} key @param {Message[]} messages */
  async keep(agentId, key, messages) {
    if (!messages.length) return;
    const lines = messages.map((message) => JSON.stringify({ agentId, key, message }) + "\n").join("");
    await this.#inTurn(async () => {
      const { size } = await stat(this.#file).catch(() => ({ size: 0 }));
      if (size > MOST_BYTES) throw new Error(`${this.#file} is full: the appliance has been away for too long`);
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
      await appendFile(this.#file, lines, { mode: 0o600 });
    });
  }

  /** How many messages wait. */
  async waiting() {
    return (await this.#entries()).length;
  }

  /** Send what waits. On a failure it stays, and is tried again by itself. Resolves to whether all was sent. */
  async send() {
    const shared = this.#shared;
    try {
      // A sending that was under way may have looked for the last time before this turn was kept.
      do {
        shared.sending ??= this.#sendAll().finally(() => (shared.sending = undefined));
        await shared.sending;
      } while (await this.waiting());
      this.#pauseMs = 1000;
      return true;
    } catch (error) {
      this.#logger.warn(`memory-appliance: turns wait to be sent: ${/** @type {Error} */ (error).message}`);
      this.#again();
      return false;
    }
  }

  stop() {
    clearTimeout(this.#timer);
  }

  /** Nothing waits for the network but this: turns that end meanwhile are kept, and sent as well. */
  async #sendAll() {
    for (let entries = await this.#entries(); entries.length; entries = await this.#entries()) {
      const { agentId, key } = entries[0];
      const batch = entries.filter((entry) => entry.key === key && entry.agentId === agentId).slice(0, BATCH);
      await this.#sendBatch(agentId, key, batch);
      const sent = new Set(batch.map(nameOf));
      await this.#inTurn(async () => this.#write((await this.#entries()).filter((entry) => !sent.has(nameOf(entry)))));
    }
  }

  /** @param {string | undefined} agentId @param {string} key @param {Entry[]} batch */
  async #sendBatch(agentId, key, batch) {
    const place = `transcripts/${encodeURIComponent(key)}/messages`;
    try {
      await this.#appliance.agent(agentId, place, { messages: batch.map((entry) => entry.message) });
    } catch (error) {
      const { status, message } = /** @type {import("./appliance.js").Failed} */ (error);
      // What is refused for what it is would be refused for ever; a key or an agent can be put right.
      if (status !== 400 && status !== 413 && status !== 422) throw error;
      this.#logger.warn(`memory-appliance: ${batch.length} messages of ${key} were refused and are dropped: ${message}`);
    }
  }

  #again() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.send(), this.#pauseMs);
    this.#timer.unref();
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  /** @returns {Promise<Entry[]>} */
  async #entries() {
    const text = await readFile(this.#file, "utf8").catch(() => "");
    const entries = text.split("\n").filter(Boolean).flatMap(parsed);
    return [...new Map(entries.map((entry) => [nameOf(entry), entry])).values()];
  }

  /** @param {Entry[]} entries */
  async #write(entries) {
    await writeFile(`${this.#file}.new`, entries.map((entry) => JSON.stringify(entry) + "\n").join(""), { mode: 0o600 });
    await rename(`${this.#file}.new`, this.#file);
  }

  get #shared() {
    const file = this.#file;
    const known = files.get(file) ?? { turn: Promise.resolve() };
    files.set(file, known);
    return known;
  }

  /** One at a time writes the file. @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  #inTurn(work) {
    const shared = this.#shared;
    const done = shared.turn.then(work);
    shared.turn = done.catch(() => {});
    return done;
  }
}

/** @param {Entry} entry */
function nameOf({ key, message }) {
  return `${key}\n${message.id}`;
}

/** A line that was cut short by a crash is left out. @param {string} line @returns {Entry[]} */
function parsed(line) {
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
