import { graphOf, type NodeResult, nextOfWalk, requestOfNode, startWalk } from '@mandate/agent-manifest';
import { graphRecipeDocument } from '@mandate/schemas/agent-manifest';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { agentManifestCases } from './agent-manifest-cases.ts';

const scripted = z.union([
  z.strictObject({ ok: z.unknown() }).transform(({ ok }): NodeResult => ({ output: ok })),
  z.strictObject({ answer: z.unknown() }).transform(({ answer }): NodeResult => ({ output: answer })),
  z
    .strictObject({ score: z.unknown(), feedback: z.unknown().optional() })
    .transform((output): NodeResult => ({ output })),
  z.strictObject({ denied: z.literal(true) }).transform((): NodeResult => ({ failed: 'APPROVAL_DENIED' })),
  z.strictObject({ timeout: z.literal(true) }).transform((): NodeResult => ({ failed: 'HUMAN_TIMEOUT' })),
]);

const given = z.strictObject({
  manifest: graphRecipeDocument,
  inputs: z.record(z.string(), z.unknown()),
  script: z.record(z.string(), z.array(scripted)),
});

/** A router is asked nothing, and an evaluator that has nothing to judge is not asked. */
const NOT_ASKED: NodeResult = { output: null };

test.each(agentManifestCases('walk'))('$id: walks through the nodes', (line) => {
  const { manifest, inputs, script } = given.parse(line.given);
  const graph = graphOf(manifest);
  const path: string[] = [];
  let walk = startWalk(graph, inputs);
  while (walk.status === 'running') {
    path.push(walk.at);
    const type = requestOfNode(graph, walk)?.type;
    const isAsked = type !== 'router' && type !== 'failed';
    const result = isAsked ? script[walk.at]?.shift() : NOT_ASKED;
    if (result === undefined) throw new Error(`the script has no result for ${walk.at}`);
    walk = nextOfWalk(graph, walk, result);
  }
  const { status, board } = walk;
  expect({ status, ...(status === 'failed' && { code: walk.code }), path, board }).toEqual(line.then);
});
