/** The MCP servers of the runner. Its configuration binds the tools of manifests to them. */
import type { JsonSchema, StepTool } from '../agent-step/step.ts';

export type ToolServers = {
  /**
   * Finds the tool on its server. Null: an inline tool without a binding.
   *
   * @throws ToolUnavailable
   */
  find(tool: StepTool, signal: AbortSignal): Promise<BoundTool | null>;
  close(): Promise<void>;
};

export type BoundTool = {
  description: string;
  inputSchema: JsonSchema;
  /** The server says that the tool only reads, or that a second call has no further effect. */
  saysRepeatable: boolean;
  /**
   * Calls the tool. First it checks that the server still lists the same tool.
   *
   * @throws ToolUnavailable if the tool was certainly not called; ToolUncertain if it may have been called
   */
  call(args: Readonly<Record<string, unknown>>, options: ToolCallOptions): Promise<ToolResult>;
};

/** `idempotencyKey` is sent with the call, so that a server can recognize a repeated call. */
type ToolCallOptions = { idempotencyKey: string; signal: AbortSignal };

/** `isError`: the tool, or its server, answered that the call failed. */
export type ToolResult = { text: string; isError: boolean };
