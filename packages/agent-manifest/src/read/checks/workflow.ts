/** Checks the steps of a workflow: their ids, and the circles in which they lead. */
import type { AgentManifest, Step } from '@mandate/schemas/agent-manifest';
import { type Found, found, type Path } from '../fault.ts';
import { circlesIn } from './circles.ts';

/** A possible next step. `path` leads to the field that names the next step. */
export type Way = { path: Path; target: string };

export function waysOn(step: Step): readonly Way[] {
  if (step.type !== 'switch') return step.next === undefined ? [] : [{ path: ['next'], target: step.next }];
  return [
    ...Object.entries(step.cases).map(([condition, target]) => ({ path: ['cases', condition], target })),
    ...(step.default === undefined ? [] : [{ path: ['default'], target: step.default }]),
  ];
}

export function stepIdFaults({ workflow }: AgentManifest): Found[] {
  return Object.entries(workflow?.steps ?? {}).flatMap(([key, { id }]): Found[] =>
    id === undefined || id === key
      ? []
      : [
          found(
            'STEP_ID_DIFFERS',
            ['workflow', 'steps', key, 'id'],
            `must be "${key}", the key of the step: steps are found by their keys`,
          ),
        ],
  );
}

/** Circles are searched for only if each step leads to a step. */
export function circleFaults({ workflow, policy }: AgentManifest): Found[] {
  if (workflow === undefined) return [];
  const steps = new Map(Object.entries(workflow.steps));
  const targets = new Map(
    [...steps].map(([key, step]) => [key, waysOn(step).map(({ target }) => target)] as const),
  );
  if ([...targets.values()].some((all) => all.some((target) => !steps.has(target)))) return [];
  return circlesIn(targets).flatMap((circle): Found[] => {
    const [first = ''] = circle;
    const path = ['workflow', 'steps', first];
    const within = new Set(circle);
    const isLeft = circle.some((key) => targets.get(key)?.some((target) => !within.has(target)));
    if (!isLeft) {
      const message = () =>
        `is in a circle that no step leaves (${shown(circle)}): let a switch in it lead to a step outside`;
      return [found('CYCLE', path, message)];
    }
    if (policy?.max_steps !== undefined) return [];
    const message = () =>
      `is in a circle that a run may never leave (${shown(circle)}): set policy.max_steps, the most steps of a run`;
    return [found('CYCLE_UNBOUNDED', path, message)];
  });
}

const MOST_SHOWN = 10;

function shown(circle: readonly string[]): string {
  const more = circle.length > MOST_SHOWN ? ', …' : '';
  return `${circle.slice(0, MOST_SHOWN).join(', ')}${more}`;
}
