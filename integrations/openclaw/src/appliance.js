// The appliance's API, and what went wrong with it last: an owner reads it in `openclaw memory status` and `openclaw status`.

/** @typedef {{ url?: string, apiKey?: string, agent?: string, timeoutMs?: number, startContext?: boolean }} Config */
/** @typedef {{ key: string, chat_type?: string }} Session */
/** @typedef {{ info: (line: string) => void, warn: (line: string) => void }} Logger */
/** @typedef {{ agentId?: string, sessionKey?: string, trigger?: string, inputProvenance?: { kind: string } }} Context */

const GRACE_MS = 3000; // a recall answers within its deadline and three seconds, whatever happens behind it
const PATIENCE_MS = 20_000;

export class Appliance {
  /** @type {{ at: string, message: string } | undefined} */
  failure;
  /** @type {Map<string, Context>} */
  #turns = new Map();

  /** @param {Config} config @param {Logger} logger */
  constructor(config, logger) {
    this.config = config;
    this.url = (config.url ?? "http://127.0.0.1:8765").replace(/\/+$/, "");
    this.recallTimeoutMs = config.timeoutMs ?? 4000;
    this.logger = logger;
  }

  /** The agent at the appliance: the configured one, or the one that is named like OpenClaw's. @param {string} [agentId] */
  slug(agentId) {
    return this.config.agent || agentId || "main";
  }

  /** What woke up the turn of a chat; tools are not told. @param {Context} ctx */
  turnBegins(ctx) {
    this.#turns.set(ctx.sessionKey ?? "", ctx);
  }

  /** @param {Context} ctx */
  turnEnds(ctx) {
    this.#turns.delete(ctx.sessionKey ?? "");
  }

  /**
   * Who asks, as the scope rules see it. A heartbeat, a job or another program comes with the key of the chat that it
   * wakes up; it is no private chat.
   * @param {Context} ctx
   * @returns {Session}
   */
  session(ctx) {
    const key = ctx.sessionKey ?? `agent:${ctx.agentId ?? "main"}:unknown`;
    const turn = this.#turns.get(ctx.sessionKey ?? "") ?? ctx;
    return isPerson(turn) ? { key } : { key, chat_type: turn.trigger === "cron" ? "cron" : "heartbeat" };
  }

  /**
   * @param {string | undefined} agentId
   * @param {string} place below the agent
   * @param {Record<string, unknown>} [body] none: GET
   * @param {{ timeoutMs?: number, signal?: AbortSignal }} [options]
   * @returns {Promise<any>}
   */
  async agent(agentId, place, body, options) {
    return this.call(`/api/v1/agents/${encodeURIComponent(this.slug(agentId))}/${place}`, body, options);
  }

  /** @param {Record<string, unknown>} body @param {string | undefined} agentId */
  async recall(agentId, body) {
    const timeoutMs = this.recallTimeoutMs;
    return this.agent(agentId, "recall", { ...body, timeout_ms: timeoutMs }, { timeoutMs: timeoutMs + GRACE_MS });
  }

  /**
   * @param {string} path
   * @param {Record<string, unknown>} [body]
   * @param {{ timeoutMs?: number, signal?: AbortSignal }} [options]
   * @returns {Promise<any>}
   */
  async call(path, body, { timeoutMs = PATIENCE_MS, signal } = {}) {
    try {
      if (!this.config.apiKey) throw new Error("no apiKey is configured (plugins.entries.memory-appliance.config.apiKey)");
      const timeout = AbortSignal.timeout(timeoutMs);
      const response = await fetch(this.url + path, {
        method: body ? "POST" : "GET",
        headers: { Authorization: `Bearer ${this.config.apiKey}`, "Content-Type": "application/json" },
        body: body && JSON.stringify(body),
        signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      });
      const text = await response.text();
      if (!response.ok) throw new Refused(response.status, refusalOf(text));
      const answer = JSON.parse(text);
      this.failure = undefined;
      return answer;
    } catch (error) {
      const failed = new Failed(`${this.url}: ${causeOf(error)}`, error instanceof Refused ? error.status : undefined);
      if (!signal?.aborted) this.failure = { at: new Date().toISOString(), message: failed.message };
      throw failed;
    }
  }
}

/** `status` is that of a refusal; undefined when there was no answer. */
export class Failed extends Error {
  /** @param {string} message @param {number} [status] */
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

class Refused extends Error {
  /** @param {number} status @param {string} why */
  constructor(status, why) {
    super(`${status} ${why}`.trim());
    this.status = status;
  }
}

/** Whether a person wrote the message of this turn. @param {Context} ctx */
export function isPerson({ trigger, inputProvenance }) {
  const byProgram = inputProvenance !== undefined && inputProvenance.kind !== "external_user";
  return !byProgram && (trigger === undefined || trigger === "user" || trigger === "manual");
}

/** @param {string} text */
function refusalOf(text) {
  try {
    const { message = "", hint = "" } = JSON.parse(text).error;
    return `${message} ${hint}`.trim();
  } catch {
    return text.slice(0, 200);
  }
}

/** `fetch failed` hides its reason in `cause`. @param {unknown} error @returns {string} */
function causeOf(error) {
  if (!(error instanceof Error)) return String(error);
  if (error.name === "TimeoutError") return "no answer in time";
  const cause = /** @type {{ code?: string, message?: string } | undefined} */ (error.cause);
  return cause ? `cannot be reached: ${cause.message || cause.code || error.message}` : error.message;
}
