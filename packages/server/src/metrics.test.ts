import { describe, expect, test } from 'vitest';
import { boundedLabel, createMetrics } from './metrics.ts';

describe('createMetrics', () => {
  test('counts, measures and writes the Prometheus format', async () => {
    const metrics = createMetrics({ service: 'decider' });
    metrics
      .counter({ name: 'mandate_decider_decisions_total', help: 'h', labels: ['verdict'] })
      .inc({ verdict: 'ALLOW' });
    metrics.histogram({ name: 'mandate_decider_step_seconds', help: 'h' }).observe(0.003);
    metrics.gauge({ name: 'mandate_bus_lag_records', help: 'h', collect: () => 42 });
    const text = await metrics.registry.metrics();
    expect(text).toContain('mandate_decider_decisions_total{verdict="ALLOW",service="decider"} 1');
    expect(text).toContain('mandate_decider_step_seconds_bucket{le="0.005",service="decider"} 1');
    expect(text).toContain('mandate_bus_lag_records{service="decider"} 42');
    expect(text).not.toContain('process_cpu');
  });

  test('returns the same metric for the same name, but throws for another type', async () => {
    const metrics = createMetrics({ service: 'x' });
    metrics.counter({ name: 'mandate_http_refusals_total', help: 'h' }).inc();
    metrics.counter({ name: 'mandate_http_refusals_total', help: 'h' }).inc();
    expect(await metrics.registry.metrics()).toContain('} 2');
    expect(() => metrics.gauge({ name: 'mandate_http_refusals_total', help: 'h' })).toThrow(TypeError);
  });

  test.each(['requests_total', 'mandate_total', 'mandate_Http_requests_total', 'mandate_http_requests'])(
    'refuses the counter name %s',
    (name) => {
      expect(() => createMetrics({ service: 'x' }).counter({ name, help: 'h' })).toThrow(TypeError);
    },
  );

  test('measures the process too if the option is set', async () => {
    const { registry } = createMetrics({ service: 'x', processMetrics: true });
    expect(await registry.metrics()).toContain('process_cpu_user_seconds_total');
    registry.clear();
  });
});

test('keeps the first label values up to the limit, and returns `other` for all later values', () => {
  const label = boundedLabel(2);
  expect(['a', 'b', 'a', 'c', 'b', 'd'].map(label)).toEqual(['a', 'b', 'a', 'other', 'b', 'other']);
});
