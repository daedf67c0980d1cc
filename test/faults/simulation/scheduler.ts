/**
 * Virtual time, and the order of everything. Each call of a port is a task here, and its answer is another task. The
 * scheduler picks the next task by its seed, advances the clock, and runs nothing else until the process has reached
 * its next await. So a history depends only on its seed, and a crash can happen before and after any call. Tasks of a
 * dead process never run, except calls that were already sent and still reach the log or ledger.
 */

/** One life of a process, from its start to its crash. */
export type Life = { readonly process: string; alive: boolean; onDeath(): void };

/** Describes a call: which faults may happen to it, and under which names they are counted. */
export type Point = {
  name: string;
  /**
   * The names under which two crashes are counted: just before the effect, and just after it. A call without `gaps`
   * crashes more rarely.
   */
  gaps?: readonly [before: string, after: string];
  /** Makes the error that the caller gets when the call fails. Absent if the call cannot fail. */
  error?: () => Error;
  /**
   * The name of an earlier kind of call. This call takes effect only after the last such call of the same process.
   */
  behind?: string;
  /** If true, the call takes effect at once or never, and is answered at once. */
  punctual?: boolean;
};

type Task = {
  dueMs: number;
  life: Life | null;
  run(): void;
  isDone: boolean;
  behind: Task | undefined;
  /** The effect of a call that was already sent. It may happen even if the caller is dead. */
  effect: (() => unknown) | undefined;
};

/** The probability of each fault in one history. In some histories, a fault has the probability 0. */
type Rates = { crash: number; fail: number; lose: number; late: number; hold: number; holdAppend: number };

/** The longest delays, in ms: shorter than a session, about as long as a session, and about as long as a lease. */
const LATE_MS = [100, 2_000, 25_000];

export class Scheduler {
  nowMs: number;
  /** The number of tasks that have run so far. Each event gets this number as its time. */
  steps = 0;
  faulty = true;
  /** The number of calls that will take effect although their callers no longer wait. */
  late = 0;
  /** The life of the running task. */
  current: Life | null = null;
  readonly random: () => number;
  /** What happened so far, one line for each event. Null if the caller did not ask for it. */
  readonly told: string[] | null;
  /** How often each fault happened. */
  readonly counts = new Map<string, number>();
  readonly #rates: Rates;
  /** True if calls may take effect after their callers ended, as on a network. Within one process they cannot. */
  readonly #networked: boolean;
  #tasks: Task[] = [];
  #crashesLeft: number;
  readonly #newest = new WeakMap<Life, Map<string, Task>>();

  constructor(random: () => number, options: { startMs: number; networked: boolean; tells: boolean }) {
    this.told = options.tells ? [] : null;
    this.random = random;
    this.nowMs = options.startMs;
    this.#networked = options.networked;
    this.#crashesLeft = this.below(10);
    this.#rates = {
      crash: this.pick([0, 0.005, 0.02, 0.05]),
      fail: this.pick([0, 0, 0.01, 0.05]),
      lose: this.pick([0, 0, 0.01, 0.05]),
      late: options.networked ? this.pick([0, 0, 0.01, 0.05, 0.15]) : 0,
      hold: this.pick([0, 0.01, 0.05]),
      holdAppend: this.pick([0, 0.01, 0.3]),
    };
  }

  below(end: number): number {
    return Math.floor(this.random() * end);
  }

  pick<T>(values: readonly T[]): T {
    const value = values[this.below(values.length)];
    if (value === undefined) throw new RangeError('nothing to pick from');
    return value;
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  tell(what: string): void {
    this.told?.push(`${this.steps} ${this.nowMs} ${what}`);
  }

  count(fault: string): void {
    this.tell(fault);
    this.counts.set(fault, (this.counts.get(fault) ?? 0) + 1);
  }

  /** Makes a call of a port. `effect` happens at some later time, atomically. The answer comes after it, or never. */
  call<T>(life: Life, point: Point, effect: () => T): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const act = () => {
      try {
        const value = effect();
        // A rejected promise is passed on to the caller with the answer, if the caller still waits. So the rejection
        // needs no other handler.
        if (value instanceof Promise) value.catch(() => {});
        return () => resolve(value);
      } catch (error) {
        return () => reject(error);
      }
    };
    const fail = () => reject(point.error?.());
    const fate = this.#fateOf(point);
    const { hold, holdAppend } = this.#rates;
    const latencyMs = (held: number) => (point.punctual ? 0 : this.#latencyMs(held));
    const task = this.#add(latencyMs(point.behind === undefined ? hold : holdAppend), life, () => {
      this.tell(`${life.process}: ${point.name}${fate === 'none' ? '' : `, ${fate}`}`);
      switch (fate) {
        case 'crash before':
          return this.crash(life, point.gaps?.[0]);
        case 'fail':
          return fail();
        case 'late':
          this.#later(effect);
          return fail();
      }
      const answer = act();
      if (fate === 'crash after') return this.crash(life, point.gaps?.[1]);
      this.#add(latencyMs(hold), life, fate === 'lose' ? fail : answer);
    });
    if (point.error !== undefined && !point.punctual) task.effect = effect;
    if (point.behind !== undefined) {
      const newest = this.#newest.get(life) ?? new Map<string, Task>();
      task.behind = newest.get(point.behind);
      this.#newest.set(life, newest.set(point.behind, task));
    }
    return promise;
  }

  /** Runs something in the process, soon. */
  post(life: Life | null, run: () => void): void {
    this.#add(this.#latencyMs(), life, run);
  }

  /** Runs something after this time. Returns a function that cancels it. */
  after(ms: number, life: Life | null, run: () => void): () => void {
    const task = this.#add(ms, life, run);
    return () => {
      this.#tasks = this.#tasks.filter((other) => other !== task);
    };
  }

  sleep(life: Life | null, ms: number, signal?: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    if (signal?.aborted) return Promise.reject(signal.reason);
    const cancel = this.after(ms, life, resolve);
    signal?.addEventListener('abort', () => {
      cancel();
      reject(signal.reason);
    });
    return promise;
  }

  /** Ends a life of a process. Nothing of this life runs afterwards. */
  crash(life: Life, gap = 'crash elsewhere'): void {
    if (!life.alive) return;
    this.count(gap);
    life.alive = false;
    const left: Task[] = [];
    for (const task of this.#tasks) {
      if (task.life !== life) left.push(task);
      else if (task.effect !== undefined && this.#networked && this.chance(0.5)) {
        this.count('call of the dead took effect');
        this.#later(task.effect, left);
      }
    }
    this.#tasks = left;
    life.onDeath();
  }

  /** Runs at most `mostSteps` tasks, until `isDone`. Returns true if `isDone` was reached. */
  async run(isDone: () => boolean, mostSteps: number): Promise<boolean> {
    for (const end = this.steps + mostSteps; this.steps < end; ) {
      if (isDone()) return true;
      const task = this.#next();
      if (task === null) return isDone();
      this.steps += 1;
      this.current = task.life;
      task.run();
      // Lets all code run that follows from the task, up to the next call of a port.
      await new Promise(setImmediate);
    }
    return false;
  }

  #next(): Task | null {
    let earliestMs = Number.POSITIVE_INFINITY;
    for (const { dueMs, behind } of this.#tasks)
      if (dueMs < earliestMs && (behind === undefined || behind.isDone)) earliestMs = dueMs;
    if (earliestMs === Number.POSITIVE_INFINITY) return null;
    this.nowMs = Math.max(this.nowMs, earliestMs);
    const ready: number[] = [];
    for (const [at, { dueMs, behind }] of this.#tasks.entries())
      if (dueMs <= this.nowMs && (behind === undefined || behind.isDone)) ready.push(at);
    const [task] = this.#tasks.splice(this.pick(ready), 1);
    if (task === undefined) return null;
    task.isDone = true;
    task.behind = undefined;
    return task;
  }

  #add(ms: number, life: Life | null, run: () => void, to = this.#tasks): Task {
    const task = { dueMs: this.nowMs + ms, life, run, isDone: false, behind: undefined, effect: undefined };
    if (life?.alive !== false) to.push(task);
    return task;
  }

  #later(effect: () => unknown, to = this.#tasks): void {
    this.late += 1;
    const act = () => {
      this.late -= 1;
      try {
        const value = effect();
        if (value instanceof Promise) value.catch(() => {});
      } catch {
        // The call failed. Its caller no longer waits, so it gets no error.
      }
    };
    this.#add(this.below(this.pick(LATE_MS)), null, act, to);
  }

  #fateOf({
    error,
    gaps,
    punctual,
  }: Point): 'none' | 'crash before' | 'crash after' | 'fail' | 'late' | 'lose' {
    if (!this.faulty) return 'none';
    const { crash, fail, lose, late } = this.#rates;
    if (this.#crashesLeft > 0 && this.chance(gaps === undefined ? crash / 8 : crash)) {
      this.#crashesLeft -= 1;
      return this.pick(['crash before', 'crash after']);
    }
    if (error === undefined) return 'none';
    if (this.chance(fail)) return this.#counted('fail', 'call failed');
    if (this.chance(lose)) return this.#counted('lose', 'answer lost');
    if (!punctual && this.chance(late)) return this.#counted('late', 'call took effect after it had failed');
    return 'none';
  }

  #counted<F>(fate: F, fault: string): F {
    this.count(fault);
    return fate;
  }

  /**
   * Returns the time that a call takes. Most calls take a short time, so that concurrent calls can take effect in any
   * order.
   */
  #latencyMs(held = this.#rates.hold): number {
    if (this.faulty && this.chance(held)) {
      this.count('held up');
      return this.below(this.pick(LATE_MS));
    }
    return this.below(4);
  }
}

/**
 * Returns a generator of numbers from 0 to below 1 (mulberry32). Neighbouring seeds give unrelated numbers. With a
 * congruential generator they would not.
 */
export function randomOf(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
