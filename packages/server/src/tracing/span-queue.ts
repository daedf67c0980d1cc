/**
 * A queue of spans that wait to be sent. It has a limited size, and one delivery runs at a time. Adding a span never
 * waits and never fails. If the receiver is slow or unreachable, spans are dropped, but no work is lost. Dropped
 * spans are counted, and the log reports them at intervals.
 */

import type { Logger } from '@mandate/runtime';
import { outsideRequests } from '@mandate/runtime';
import type { ReadableSpan, SpanExporter, SpanProcessor } from '@opentelemetry/sdk-trace';
import type { Metrics } from '../metrics.ts';

export type SpanQueueOptions = {
  exporter: SpanExporter;
  maxSpans: number;
  log: Logger;
  metrics: Metrics;
  /** Milliseconds that spans wait for a fuller delivery. Default 1,000. */
  gatherMs?: number;
  /**
   * The shortest interval, in milliseconds, between two log lines about a receiver that does not accept spans.
   * Default 60,000.
   */
  complainEveryMs?: number;
};

/** The number of spans in one delivery. OpenTelemetry's own processor sends the same number. */
const DELIVERY_SPANS = 512;

/** Returns the number of deliveries that a full queue needs, plus one for a running delivery. */
export function deliveriesOf(maxSpans: number): number {
  return Math.ceil(maxSpans / DELIVERY_SPANS) + 1;
}

type Outcome = 'delivered' | 'refused' | 'dropped';

export class SpanQueue implements SpanProcessor {
  readonly #options: SpanQueueOptions;
  readonly #count: (outcome: Outcome, spans: number) => void;
  #waiting: ReadableSpan[] = [];
  #timer: NodeJS.Timeout | undefined;
  #delivering: Promise<void> | null = null;
  #isStopped = false;
  #lost = 0;
  #complainedAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: SpanQueueOptions) {
    this.#options = options;
    const counter = options.metrics.counter({
      name: 'mandate_traces_spans_total',
      help: 'Ended spans by result: delivered, refused by the receiver, lost while the receiver was unavailable, or dropped because too many waited',
      labels: ['outcome'],
    });
    this.#count = (outcome, spans) => counter.inc({ outcome }, spans);
  }

  onStart(): void {}

  /** Runs outside of the request that ends the span, because one delivery contains spans of many requests. */
  onEnd(span: ReadableSpan): void {
    outsideRequests(() => this.#take(span));
  }

  #take(span: ReadableSpan): void {
    const { maxSpans, gatherMs = 1_000 } = this.#options;
    if (this.#isStopped || this.#waiting.length >= maxSpans) {
      this.#lose('dropped', 1, undefined);
      return;
    }
    this.#waiting.push(span);
    if (this.#waiting.length >= DELIVERY_SPANS) void this.#deliverAll();
    else this.#timer ??= setTimeout(() => void this.#deliverAll(), gatherMs).unref();
  }

  /** Sends all waiting spans at once and in parallel, so that the shutdown takes no longer than one delivery. */
  async shutdown(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    const rest: Promise<void>[] = [];
    while (this.#waiting.length > 0) rest.push(this.#deliver());
    await Promise.all([this.#delivering, ...rest]);
    await this.#options.exporter.shutdown();
  }

  async forceFlush(): Promise<void> {
    await this.#deliverAll();
  }

  #deliverAll(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#delivering ??= this.#untilNoneWait().finally(() => {
      this.#delivering = null;
    });
    return this.#delivering;
  }

  async #untilNoneWait(): Promise<void> {
    while (this.#waiting.length > 0) await this.#deliver();
  }

  /** Sends one delivery. Never rejects. The exporter has its own time limit. */
  #deliver(): Promise<void> {
    const spans = this.#waiting.splice(0, DELIVERY_SPANS);
    return new Promise((resolve) => {
      try {
        this.#options.exporter.export(spans, ({ code, error }) => {
          if (code === SUCCESS) this.#count('delivered', spans.length);
          else this.#lose('refused', spans.length, error);
          resolve();
        });
      } catch (error) {
        this.#lose('refused', spans.length, error);
        resolve();
      }
    });
  }

  #lose(outcome: 'refused' | 'dropped', spans: number, err: unknown): void {
    const { log, complainEveryMs = 60_000 } = this.#options;
    this.#count(outcome, spans);
    this.#lost += spans;
    const sinceMs = performance.now() - this.#complainedAtMs;
    if (sinceMs < complainEveryMs) return;
    this.#complainedAtMs = performance.now();
    log.warn(
      { err, lost: this.#lost },
      'spans are lost: the receiver of traces refuses them, or accepts too few',
    );
    this.#lost = 0;
  }
}

/**
 * The value of ExportResultCode.SUCCESS in OpenTelemetry. This package does not depend on the package that exports
 * it.
 */
const SUCCESS = 0;
