/** Every framework that the contract tests, and every way in which each framework runs a tool. */
import * as ai7 from 'ai';
import * as ai6 from 'ai-6';
import { aiSdk6, aiSdk7 } from './ai.ts';
import { claudeAgent } from './claude-agent.ts';
import type { Framework, Way } from './framework.ts';
import { langChain } from './langchain.ts';
import { openaiAgents } from './openai-agents.ts';

const FRAMEWORKS: Readonly<Record<string, Framework>> = {
  'AI SDK 7': aiSdk7(ai7),
  // The second major version has the same functions, as far as the tests use them.
  'AI SDK 6': aiSdk6(ai6 as unknown as typeof ai7),
  LangChain: langChain,
  'OpenAI Agents': openaiAgents,
  'Claude Agent SDK': claudeAgent,
};

/** When the framework gives Mandate the signal of its run. */
type SignalGiven = 'with the question' | 'when the tool starts' | 'never';

export const WAYS = Object.entries(FRAMEWORKS).flatMap(
  ([framework, { ways, waysWithLateSignal = {}, waysWithoutSignal = {} }]) => [
    ...titled(framework, ways, 'with the question'),
    ...titled(framework, waysWithLateSignal, 'when the tool starts'),
    ...titled(framework, waysWithoutSignal, 'never'),
  ],
);

function titled(framework: string, ways: Readonly<Record<string, Way>>, signalGiven: SignalGiven) {
  return Object.entries(ways).map(([name, way]) => ({ title: `${framework}: ${name}`, way, signalGiven }));
}

export const SUB_AGENT_WAYS = Object.entries(FRAMEWORKS).flatMap(([framework, { subAgents }]) =>
  Object.entries(subAgents).map(([name, run]) => ({ title: `${framework}: ${name}`, run })),
);

/** The frameworks that can stop a run for a person, and resume it. */
export const RESUMABLE = Object.entries(FRAMEWORKS).flatMap(([title, { suspend }]) =>
  suspend === undefined ? [] : [{ title, suspend }],
);
