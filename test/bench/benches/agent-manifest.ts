/**
 * Measures how long it takes to validate and to compile a large agent manifest. The rival only parses the same YAML.
 */
import { filesInMemory, publicationOf, readAgentManifest } from '@mandate/agent-manifest';
import { parse } from 'yaml';
import { compare } from '../measure/compare.ts';
import { oneByOne } from '../measure/one-by-one.ts';
import type { Row } from '../row.ts';
import { largeManifest } from '../workload/manifests.ts';

const AGENTS = 100;
const TIMES = 20;
const PAIRS = 5;
const MAIN = 'manifest.yaml';

export async function agentManifest(): Promise<Row[]> {
  const text = largeManifest(AGENTS);
  const files = filesInMemory({ [MAIN]: text });
  const what = `an agent manifest of ${AGENTS} agents, ${Math.round(text.length / 1024)} KiB`;
  return [
    ...(await besideParse(`${what}: validate`, text, () => {
      if (!readAgentManifest(text).ok) throw new Error('the manifest has a fault');
    })),
    ...(await besideParse(`${what}: validate, compile and check the documents`, text, () => {
      const made = publicationOf(files, MAIN, {}, null);
      if (!made.ok) throw new Error(`the manifest cannot be published: ${JSON.stringify(made)}`);
      if (made.published.agents.length !== AGENTS + 1) throw new Error('agents are missing');
    })),
  ];
}

function besideParse(what: string, text: string, work: () => void): Promise<Row[]> {
  const times = Array.from({ length: TIMES });
  return compare({
    pairs: PAIRS,
    ours: () => oneByOne(times, async () => work()),
    rival: {
      what: 'YAML: parse the same text',
      run: () =>
        oneByOne(times, async () => {
          if (parse(text) === null) throw new Error('the text is empty');
        }),
    },
    figures: { p50Ms: { what: `${what}: p50`, unit: 'ms' } },
  });
}
