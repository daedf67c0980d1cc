/** The options for both providers. */

export type ModelOptions = {
  /** The agent that makes the calls. Its mandate decides. Default: `context-builder`. */
  agentId?: string;
  /** The maximum number of tokens of an answer. Default: 700. */
  maxTokens?: number;
  /** Default: 0. Null: the request states no temperature, because some models refuse it. */
  temperature?: number | null;
  /** Whether the provider can enforce the JSON Schema of the answer. Default: true. */
  structuredOutput?: boolean;
};

export function withDefaults({
  agentId = 'context-builder',
  maxTokens = 700,
  temperature = 0,
  structuredOutput = true,
}: ModelOptions): Required<ModelOptions> {
  return { agentId, maxTokens, temperature, structuredOutput };
}
