/** The options that both providers share. */

export type ModelOptions = {
  /** The agent that makes the calls. Its mandate decides. Default: `context-builder`. */
  agentId?: string;
  /** The most tokens of an answer. Default: 700. */
  maxTokens?: number;
  /** Default: 0. Null: the request states none, because some models refuse it. */
  temperature?: number | null;
  /** Whether the provider can enforce the form of the answer. Default: true. */
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
