/**
 * The hash of a manifest: SHA-256 over its canonical JSON as its author wrote it, with `$ref`s resolved and without the
 * fields of the design. No default is filled in, so a new default in a later version of Mandate changes no hash.
 *
 * Canonical JSON sorts the keys of a map. But the conditions of a switch are evaluated in order. So a switch with
 * several cases is hashed as the list of its cases: otherwise two manifests that choose different steps would have the
 * same hash.
 */
import { digestOf } from '@mandate/policy/parts';
import type { AgentManifest, GraphRecipe, Step } from '@mandate/schemas/agent-manifest';
import { withoutDesign } from './without-design.ts';

/** Returns 64 lower-case hex digits. */
export function hashOfManifest(manifest: AgentManifest | GraphRecipe): string {
  if (!('workflow' in manifest) || manifest.workflow === undefined) return digestOf(withoutDesign(manifest));
  const { workflow } = manifest;
  const steps = Object.entries(workflow.steps).map(([key, step]) => [key, withCasesInOrder(step)]);
  return digestOf(
    withoutDesign({ ...manifest, workflow: { ...workflow, steps: Object.fromEntries(steps) } }),
  );
}

function withCasesInOrder(step: Step): Readonly<Record<string, unknown>> {
  if (step.type !== 'switch') return step;
  const cases = Object.entries(step.cases);
  return cases.length === 1 ? step : { ...step, cases };
}
