import type { RunningAction, RunningOutcome } from '@mandate/sdk/plane';
import { boundedLabel, type Metrics } from '@mandate/server';
import type { OpenCalls } from './calls/open-calls.ts';
import type { Target } from './models/route-model.ts';

/**
 * How a call ended. `answered`: the client has the whole answer. `left`: the client left. `broken`: the upstream cut
 * the answer. `stopped`: a kill, the end of the lease or the stop of the gateway ended it. `failed`: the upstream
 * answered with an error. `away`: the upstream gave no answer.
 */
export type CallEnd = 'answered' | 'left' | 'broken' | 'stopped' | 'failed' | 'away';

export type Measures = {
  ended(target: Target, end: CallEnd): void;
  firstByte(target: Target, ms: number): void;
  /** The calls of tools that an answer asks for. */
  asked(target: Target, toolCalls: RunningOutcome['toolCalls']): void;
};

/** The first byte of an answer may take minutes. */
const FIRST_BYTE_BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export function measureCalls(metrics: Metrics, calls: OpenCalls): Measures {
  const ended = metrics.counter({
    name: 'mandate_models_calls_total',
    help: 'Calls that were sent to an upstream, by upstream, model and how they ended',
    labels: ['upstream', 'model', 'end'],
  });
  const firstByte = metrics.histogram({
    name: 'mandate_models_first_byte_seconds',
    help: 'The time from sending a call to an upstream until the headers of its answer, by upstream',
    labels: ['upstream'],
    buckets: FIRST_BYTE_BUCKETS_S,
  });
  metrics.gauge({
    name: 'mandate_models_open_calls',
    help: 'Calls of models that run now, with their streams',
    collect: () => calls.number,
  });
  const asked = metrics.counter({
    name: 'mandate_models_tool_calls_total',
    help: 'Calls of tools that answers of models ask for, by upstream, model and tool',
    labels: ['upstream', 'model', 'tool'],
  });
  // Clients choose the names of models that a default upstream serves.
  const modelLabel = boundedLabel();
  const upstreamLabel = boundedLabel();
  // Models choose the names of tools.
  const toolLabel = boundedLabel();
  return {
    ended: ({ upstream, model }, end) =>
      ended.inc({ upstream: upstreamLabel(upstream.name), model: modelLabel(model), end }),
    firstByte: ({ upstream }, ms) =>
      firstByte.observe({ upstream: upstreamLabel(upstream.name) }, ms / 1_000),
    asked({ upstream, model }, toolCalls = []) {
      for (const { tool, calls } of toolCalls) {
        const labels = {
          upstream: upstreamLabel(upstream.name),
          model: modelLabel(model),
          tool: toolLabel(tool),
        };
        asked.inc(labels, calls);
      }
    },
  };
}

/** Returns the action. The tools that its first outcome names are counted. */
export function countedBy(measures: Measures, target: Target, action: RunningAction): RunningAction {
  let isCounted = false;
  return {
    ...action,
    settle(outcome) {
      if (!isCounted) measures.asked(target, outcome.toolCalls);
      isCounted = true;
      return action.settle(outcome);
    },
  };
}
