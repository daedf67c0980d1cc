import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import { expect, onTestFinished, test } from 'vitest';
import { createMetrics } from '../metrics.ts';
import { createLogger } from '../pino-logger.ts';
import { SpanQueue } from './span-queue.ts';

/** Returns a queue and a fake receiver. The receiver answers when the test calls for an answer. */
function queueing(settings: { maxSpans?: number; gatherMs?: number; complainEveryMs?: number } = {}) {
  const deliveries: { spans: number; answer: (error?: Error) => void }[] = [];
  let arrived = Promise.withResolvers<void>();
  const exporter: SpanExporter = {
    export(spans, done) {
      const answer = (error?: Error) => done(error === undefined ? { code: 0 } : { code: 1, error });
      deliveries.push({ spans: spans.length, answer });
      arrived.resolve();
      arrived = Promise.withResolvers();
    },
    shutdown: async () => {},
  };
  const metrics = createMetrics({ service: 'test' });
  const lines: string[] = [];
  const log = createLogger({ name: 'test', destination: { write: (line) => lines.push(line) } });
  const queue = new SpanQueue({ exporter, log, metrics, maxSpans: 2_000, ...settings });
  onTestFinished(() => {
    for (const { answer } of deliveries) answer();
  });
  return {
    queue,
    deliveries,
    lines,
    end: (count: number) => {
      for (let at = 0; at < count; at += 1) queue.onEnd({} as ReadableSpan);
    },
    arrived: () => arrived.promise,
    counted: async () => {
      const text = await metrics.registry.metrics();
      return Object.fromEntries(
        [...text.matchAll(/spans_total\{outcome="(\w+)".*\} (\d+)/g)].map(([, name, n]) => [name, Number(n)]),
      );
    },
  };
}

test('collects a few spans before it sends them, and sends a full delivery at once, one delivery at a time', async () => {
  const { queue, deliveries, end, arrived } = queueing({ gatherMs: 1 });
  end(3);
  expect(deliveries).toEqual([]);
  await arrived();
  end(1_500);
  expect(deliveries).toMatchObject([{ spans: 3 }]);
  const next = arrived();
  deliveries[0]?.answer();
  await next;
  expect(deliveries).toMatchObject([{ spans: 3 }, { spans: 512 }]);
  const stopping = queue.shutdown();
  for (const { answer } of deliveries) answer();
  await stopping;
  expect(deliveries.map(({ spans }) => spans)).toEqual([3, 512, 512, 476]);
});

test('keeps at most the allowed number of spans if the receiver is slow, and counts the dropped spans', async () => {
  const { queue, deliveries, end, counted, lines } = queueing({ maxSpans: 600 });
  end(5_000);
  // One delivery of 512 spans is running, and 600 spans wait.
  expect(await counted()).toEqual({ dropped: 5_000 - 512 - 600 });
  expect(lines).toHaveLength(1);
  const stopping = queue.shutdown();
  for (const { answer } of deliveries) answer();
  await stopping;
  end(1);
  expect(await counted()).toEqual({ dropped: 5_001 - 512 - 600, delivered: 512 + 600 });
});

test('sends all waiting spans at the end, in parallel, and waits for them', async () => {
  const { queue, deliveries, end } = queueing();
  end(1_600);
  let isOver = false;
  const stopping = queue.shutdown().then(() => {
    isOver = true;
  });
  expect(deliveries.map(({ spans }) => spans)).toEqual([512, 512, 512, 64]);
  for (const { answer } of deliveries.slice(1)) answer();
  await new Promise(setImmediate);
  expect(isOver).toBe(false);
  deliveries[0]?.answer();
  await stopping;
});

test('loses only spans that cannot be serialized', async () => {
  const metrics = createMetrics({ service: 'test' });
  const log = createLogger({ name: 'test', level: 'silent' });
  const exporter: SpanExporter = {
    export() {
      throw new TypeError('no such thing in JSON');
    },
    shutdown: async () => {},
  };
  const queue = new SpanQueue({ exporter, log, metrics, maxSpans: 600 });
  for (let at = 0; at < 600; at += 1) queue.onEnd({} as ReadableSpan);
  await queue.shutdown();
  expect(await metrics.registry.metrics()).toContain('{outcome="refused",service="test"} 600');
});

test('reports an unreachable receiver at intervals, with the number of lost spans', async () => {
  const { deliveries, end, lines, arrived, counted } = queueing({ complainEveryMs: 0 });
  for (const at of [0, 1]) {
    const next = arrived();
    end(512);
    await next;
    deliveries[at]?.answer(new Error('connect ECONNREFUSED'));
    await new Promise(setImmediate);
  }
  const complaints = lines.map((line) => JSON.parse(line));
  expect(complaints).toMatchObject([
    { level: 'warn', lost: 512, err: { message: 'connect ECONNREFUSED' } },
    { lost: 512 },
  ]);
  expect(await counted()).toEqual({ refused: 1_024 });

  const quiet = queueing();
  for (const at of [0, 1]) {
    const next = quiet.arrived();
    quiet.end(512);
    await next;
    quiet.deliveries[at]?.answer(new Error('away'));
    await new Promise(setImmediate);
  }
  expect(quiet.lines).toHaveLength(1);
});
