/** A step or a node of a run, as its author wrote it. */
import { workflowOf } from '@mandate/agent-manifest';
import type { GraphNode, Step } from '@mandate/schemas/agent-manifest';
import { isGraph, type Loaded, type LoadedManifest } from '../manifests/plans.ts';
import type { StepWork } from './perform-step.ts';

/** Null: the run follows no workflow, or the step is of another kind. */
export function stepOf<Kind extends Step['type']>(
  loaded: Loaded,
  { run, current }: StepWork,
  kind: Kind,
): { loaded: LoadedManifest; step: Extract<Step, { type: Kind }> } | null {
  if (isGraph(loaded)) return null;
  const step = workflowOf(loaded.document, run.started.agent)?.steps[current.step];
  return step !== undefined && isOf(step, kind) ? { loaded, step } : null;
}

/** Null: the run follows no graph, or the node is of another kind. */
export function nodeOf<Kind extends GraphNode['type']>(
  loaded: Loaded,
  { current }: StepWork,
  kind: Kind,
): Extract<GraphNode, { type: Kind }> | null {
  if (!isGraph(loaded)) return null;
  const node = loaded.document.topology.nodes.find(({ id }) => id === current.step);
  return node !== undefined && isOf(node, kind) ? node : null;
}

function isOf<Written extends { type: string }, Kind extends Written['type']>(
  written: Written,
  kind: Kind,
): written is Extract<Written, { type: Kind }> {
  return written.type === kind;
}

/** The plan of a run decides the kind of its steps, so another kind is a defect. */
export function wrongKind({ current }: StepWork): Error {
  return new Error(`the step ${current.step} is of another kind`);
}
