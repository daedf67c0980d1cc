/** The options of the adapter for LangChain. */
import type { TokenOptions } from '../adapters/count-tokens.ts';
import type { AgentOptions } from '../mandate.ts';

/** `countTokens` is called with the input of a model call as one text. */
export type LangChainOptions = AgentOptions & TokenOptions<string>;
