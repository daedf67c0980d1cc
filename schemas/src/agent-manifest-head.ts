/** The fields that a manifest and a graph recipe begin with. */
import { z } from 'zod';
import { anyMap, anyText, design, manifestText, number } from './agent-manifest-fields.ts';
import { described } from './described.ts';
import { time } from './scalars.ts';
import { withCode } from './shape-fault.ts';

export const AGENT_MANIFEST_VERSION = 'coreason.ai/v2';

export const apiVersion = described(
  z.string().refine((version) => version === AGENT_MANIFEST_VERSION, {
    error: `must be ${AGENT_MANIFEST_VERSION}: no other version is known`,
    ...withCode('API_VERSION_UNSUPPORTED'),
  }),
  'The version of the form of the document.',
  AGENT_MANIFEST_VERSION,
);

const provenance = z.looseObject({
  type: described(z.enum(['ai', 'human', 'hybrid']), 'Who made the manifest.'),
  generated_by: described(manifestText(), 'The name of the author, person or model.', 'ann'),
  generated_date: described(time.optional(), 'When the manifest was made.', '2026-01-02T03:04:05Z'),
  rationale: described(anyText().optional(), 'Why the manifest was made.', 'Answers cost too much.'),
  original_intent: described(anyText().optional(), 'What the author wanted.', 'Answer faster.'),
  confidence_score: described(number(0, 1).optional(), 'How sure the author is, from 0 to 1.', 0.8),
  methodology: described(anyText().optional(), 'How the manifest was made.', 'By hand.'),
});

export const metadata = z.looseObject({
  name: described(manifestText(200), 'The name of the manifest. Its id is made from it.', 'Research'),
  version: described(
    manifestText(64).optional(),
    'The version of the manifest: a text, so write it in quotes. Absent: 0.1.0.',
    '1.0.0',
  ),
  provenance: described(provenance.optional(), 'Where the manifest comes from. It changes no decision.'),
  'x-design': design,
  design_metadata: design,
  requires_auth: described(
    z.boolean().optional(),
    'True if only an authenticated person may use the agents. The gate may require it for critical tools.',
    true,
  ),
});

/** `inputs` and `outputs` of a run. */
export const sides = z.strictObject({
  inputs: described(
    anyMap.optional(),
    'What a run is given: a JSON Schema of type object, or a map of names to JSON Schemas.',
    { topic: { type: 'string' } },
  ),
  outputs: described(
    anyMap.optional(),
    'What a run answers: a JSON Schema of type object, or a map of names to JSON Schemas.',
    { summary: { type: 'string' } },
  ),
});
