/** Counts the calls that run. Their number is bounded, and all of them end before the gateway stops. */
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpProblem } from '@mandate/server';

export class OpenCalls {
  readonly #most: number;
  readonly #stop = new AbortController();
  #open = 0;
  #isStopping = false;
  #onEmpty = () => {};

  constructor(most: number) {
    this.#most = most;
  }

  get number(): number {
    return this.#open;
  }

  /** Aborts when running calls must end. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /**
   * Runs a call.
   *
   * @throws HttpProblem 503 OVERLOADED, STOPPING
   */
  async run<T>(call: () => Promise<T>): Promise<T> {
    if (this.#isStopping) throw stopping();
    if (this.#open >= this.#most) throw overloaded(this.#most);
    this.#open += 1;
    try {
      return await call();
    } finally {
      this.#open -= 1;
      if (this.#open === 0) this.#onEmpty();
    }
  }

  /** Takes no further call. Running calls may end within `graceMs`, and are stopped after that time. */
  async end(graceMs: number): Promise<void> {
    this.#isStopping = true;
    if (this.#open === 0) return;
    const empty = new Promise<void>((resolve) => {
      this.#onEmpty = resolve;
    });
    await Promise.race([empty, sleep(graceMs, undefined, { ref: false })]);
    this.#stop.abort(stopping());
    await Promise.race([empty, sleep(graceMs, undefined, { ref: false })]);
  }
}

function overloaded(most: number): HttpProblem {
  return new HttpProblem(503, 'OVERLOADED', `${most} calls of models run at this gateway already`, {
    remedy: 'Try again in a moment.',
    headers: { 'retry-after': '1' },
  });
}

function stopping(): HttpProblem {
  return new HttpProblem(503, 'STOPPING', 'this gateway is stopping', {
    remedy: 'Try again. Another instance answers, or this one after its restart.',
    headers: { 'retry-after': '1' },
  });
}
