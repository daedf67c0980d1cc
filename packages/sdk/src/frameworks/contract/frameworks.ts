/** The frameworks that the contract tests, by name. */
import * as ai7 from 'ai';
import * as ai6 from 'ai-6';
import { aiSdk6, aiSdk7 } from './ai.ts';
import { claudeAgent } from './claude-agent.ts';
import type { Framework, Way } from './given.ts';
import { langChain } from './langchain.ts';
import { openaiAgents } from './openai-agents.ts';

export const FRAMEWORKS: Readonly<Record<string, Framework>> = {
  'AI SDK 7': aiSdk7(ai7),
  // The second major has the same functions for everything that the tests use.
  'AI SDK 6': aiSdk6(ai6 as unknown as typeof ai7),
  LangChain: langChain,
  'OpenAI Agents': openaiAgents,
  'Claude Agent SDK': claudeAgent,
};

/** When Mandate hears of an abort of the run. */
type Hears = 'at once' | 'at the start' | 'never';

export type NamedWay = { title: string; way: Way; hears: Hears };

/** Every way of every framework. */
export const WAYS: readonly NamedWay[] = Object.entries(FRAMEWORKS).flatMap(
  ([framework, { ways, lateWays = {}, deafWays = {} }]) => {
    const named = (some: Readonly<Record<string, Way>>, hears: Hears) =>
      Object.entries(some).map(([name, way]) => ({ title: `${framework}: ${name}`, way, hears }));
    return [...named(ways, 'at once'), ...named(lateWays, 'at the start'), ...named(deafWays, 'never')];
  },
);
