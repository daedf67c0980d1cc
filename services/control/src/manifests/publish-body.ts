/** The bodies of requests that publish an agent manifest. */
import { CAPS, described, toolPolicyDocument } from '@mandate/schemas';
import { RISK_LEVELS } from '@mandate/schemas/agent-manifest';
import { z } from 'zod';

/** The maximum number of bytes of the body: a manifest with its files, with room for the escapes of JSON. */
export const PUBLISH_BYTES = 4 * CAPS.documentBytes;

const options = z
  .strictObject({
    id: described(
      z.string().min(1).max(CAPS.idUnits).optional(),
      'The id of the manifest. Default: made from its name.',
      'support-team',
    ),
    defaultModel: described(
      z.string().min(1).max(CAPS.idUnits).optional(),
      'The model of agents that name none.',
      'claude-haiku-4-5',
    ),
    directModels: described(
      z.enum(['known', 'any', 'never']).optional(),
      'Whether a step may name a model: only one with a known price, any, or none. Default: `known`.',
    ),
    unratedRisk: described(
      z.enum(RISK_LEVELS).optional(),
      'How tools without a risk level are treated. Default: as `critical`.',
    ),
    risk: described(
      z.partialRecord(z.enum(RISK_LEVELS), toolPolicyDocument).optional(),
      'What each risk level means for a tool. A level that is absent keeps its meaning.',
      { standard: { rateLimit: { maxCalls: 30, windowMs: 60_000 } } },
    ),
    usdPerEur: described(
      z.number().positive().max(1_000).optional(),
      'The dollars of a euro. Without it, prices in euros are refused.',
      1.08,
    ),
    maxCostTotal: described(
      z.number().min(0).optional(),
      'The budget in dollars of all agents of the manifest together, for ever. Default: none.',
      25,
    ),
    mostVisits: described(
      z.int().min(1).max(10_000).optional(),
      'How many nodes a run of a graph visits at most. Default: 50.',
      200,
    ),
  })
  .meta({ examples: [{ maxCostTotal: 25 }] });

export const publishBody = z
  .strictObject({
    manifest: described(
      z.string().min(1).max(CAPS.documentBytes),
      'The manifest, as YAML or JSON text.',
      'apiVersion: coreason.ai/v2\nkind: Agent\nmetadata: { name: refunds }\n',
    ),
    files: described(
      z.record(z.string().min(1).max(CAPS.stringUnits), z.string().max(CAPS.documentBytes)).default({}),
      'The texts of the files that the manifest refers to, by their paths from the folder of the manifest.',
      { 'score.py': 'def run(inputs, state, steps):\n    return {"score": 1}\n' },
    ),
    options: described(options.default({}), 'How the manifest is compiled.', { maxCostTotal: 25 }),
  })
  .meta({
    examples: [
      {
        manifest:
          'apiVersion: coreason.ai/v2\nkind: Agent\nmetadata: { name: refunds }\ndefinitions:\n  clerk: { type: agent, role: clerk, goal: answer refunds, model: claude-haiku-4-5 }\n',
      },
    ],
  });

export const rollbackBody = z
  .strictObject({ version: described(z.int().min(1), 'The version to publish again.', 2) })
  .meta({ examples: [{ version: 1 }] });
