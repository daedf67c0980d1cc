import type { Metrics } from '@mandate/server';
import type { BoundedSteps } from './perform/bound-steps.ts';

export function measureSteps(metrics: Metrics, steps: Pick<BoundedSteps, 'running' | 'waiting'>): void {
  metrics.gauge({
    name: 'mandate_runner_running_steps',
    help: 'Steps of runs that this runner performs now',
    collect: steps.running,
  });
  metrics.gauge({
    name: 'mandate_runner_waiting_steps',
    help: 'Steps of runs that wait because this runner performs as many as it may',
    collect: steps.waiting,
  });
}
