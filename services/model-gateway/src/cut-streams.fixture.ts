/** A stream that delivers ten bytes of text and then hangs, and the ways in which it ends before its end. */
import { waitUntil } from '@mandate/testing';
import { expect } from 'vitest';
import type { At, Client } from './clients.fixture.ts';
import type { Scene, SceneAgent } from './scene.fixture.ts';

/** The usage that the upstream states: OpenAI at the end of a stream, Anthropic its input at the start. */
export const USAGE = { inputTokens: 1_003, cachedInputTokens: 401, outputTokens: 207 };

const TEXT = ['abcdef', 'ghij', 'klm', 'nop'];
/** The number of events until `abcdefghij` is delivered. OpenAI has one event before the text, Anthropic has three. */
const EVENTS = { openai: 3, anthropic: 5 };

type Streaming = Pick<Client, 'protocol' | 'stream'>;

function delivers(scene: Scene, { protocol }: Streaming, kind: 'hang' | 'cut'): void {
  scene.models.script({ text: TEXT, usage: USAGE, fault: { kind, afterEvents: EVENTS[protocol] } });
}

const at = (scene: Scene, { apiKey }: SceneAgent): At => ({ ...scene, apiKey });

async function upstreamIsLeft(scene: Scene): Promise<void> {
  await waitUntil('the upstream was left', () => scene.models.requests.at(-1)?.state === 'aborted');
}

/** The client stops reading after the text. Resolves when the upstream was left too. */
export async function leftByClient(scene: Scene, client: Streaming, agent: SceneAgent): Promise<void> {
  delivers(scene, client, 'hang');
  let seen = '';
  await client
    .stream(at(scene, agent), {
      onEvent: (event, stop) => {
        seen += JSON.stringify(event);
        if (seen.includes('ghij')) stop();
      },
    })
    .catch(() => {});
  await upstreamIsLeft(scene);
}

export async function cutByUpstream(scene: Scene, client: Streaming, agent: SceneAgent): Promise<void> {
  delivers(scene, client, 'cut');
  await expect(client.stream(at(scene, agent))).rejects.toThrow();
}

/** A kill comes after the text. Resolves when the client has its error, and the upstream was left. */
export async function endedByKill(scene: Scene, client: Streaming, agent: SceneAgent): Promise<void> {
  delivers(scene, client, 'hang');
  let seen = '';
  const streaming = client.stream(at(scene, agent), {
    onEvent: (event) => {
      seen += JSON.stringify(event);
    },
  });
  streaming.catch(() => {});
  await waitUntil('the text is delivered', () => seen.includes('ghij'));
  await scene.call('POST', `/v1/agents/${agent.agentId}/kill`, { reason: 'a test' });
  await expect(streaming).rejects.toThrow(/AGENT_KILLED.*a test/);
  await upstreamIsLeft(scene);
}
