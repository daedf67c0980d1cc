import { createHash } from 'node:crypto';
import { offlineRedaction } from '@mandate/documents';
import { evaluate } from '@mandate/engine';
import { mandatesOfFile } from '@mandate/policy';
import { loadMandates } from '@mandate/policy/documents';
import { contentFinders, trialRedactor } from '@mandate/privacy';
import { describe, expect, test } from 'vitest';
import { loadDataset, requestsOf } from './dataset.ts';
import { generateDataset } from './generate-dataset.ts';
import { mandateOf } from './scenario-mandate.ts';

const encoder = new TextEncoder();

// The generated set is always tested, so that it is known to be a correct replacement of the real set. The real set
// is tested if it is in a folder beside the clone.
const datasets = new Map([loadDataset(), generateDataset()].map((dataset) => [dataset.origin, dataset]));

describe.each([...datasets])('eval decides %s as expected', (_origin, dataset) => {
  test.each(Object.entries(dataset.scenarios))('%s', async (name, scenario) => {
    const loaded = loadMandates(JSON.stringify(mandateOf(name, scenario, dataset.tools)));
    if (!loaded.ok) throw new Error(JSON.stringify(loaded.faults));
    const lines = requestsOf(dataset).map((record) => encoder.encode(JSON.stringify(record)));
    const control = mandatesOfFile(loaded.mandates, 1);
    const redact = trialRedactor(offlineRedaction({}));
    const sequence: string[] = [];
    const blocked = new Set<string>();
    let chargedMicros = 0;
    for await (const answer of evaluate(lines, { control, redact, finders: contentFinders }, Date.now())) {
      if (answer.event !== 'action.decided') throw new Error(`unexpected ${answer.event}`);
      const { decision } = answer;
      sequence.push(decision.verdict === 'ALLOW' ? 'ALLOW' : decision.code);
      chargedMicros += decision.chargedMicros;
      if (decision.verdict !== 'ALLOW') blocked.add(decision.agentId);
    }
    expect(chargedMicros).toBe(scenario.allowedCostMicros);
    expect(blocked.size).toBe(scenario.agentsWithABlock);
    expect(createHash('sha256').update(sequence.join('\n')).digest('hex')).toBe(scenario.sequenceSha256);
  });
});
