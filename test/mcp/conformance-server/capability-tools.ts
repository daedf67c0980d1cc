/** Tools that look at what the client can do, which each request of the newer era says. */
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { askModel, askName } from './input-requests.ts';
import { answer } from './samples.ts';

function capabilitiesOf({ mcpReq }: ServerContext): ClientCapabilities {
  const envelope: { [CLIENT_CAPABILITIES_META_KEY]?: ClientCapabilities } = mcpReq.envelope ?? {};
  return envelope[CLIENT_CAPABILITIES_META_KEY] ?? {};
}

export function addCapabilityTools(server: McpServer): void {
  // If the client has no sampling, the SDK refuses this result with the error for a missing capability.
  server.registerTool('test_missing_capability', { description: 'Needs sampling.' }, ({ mcpReq }) =>
    inputResponse(mcpReq.inputResponses, 'question').kind === 'sampling'
      ? answer('The client has sampling.')
      : inputRequired({ inputRequests: { question: askModel('What is the capital of France?') } }),
  );
  server.registerTool(
    'test_input_required_result_capabilities',
    { description: 'Asks only for what the client can do.' },
    (context) => {
      const { sampling, elicitation } = capabilitiesOf(context);
      const isAnswered = context.mcpReq.inputResponses !== undefined;
      if (isAnswered || (sampling === undefined && elicitation === undefined))
        return answer('Nothing is missing.');
      return inputRequired({
        inputRequests: {
          ...(sampling !== undefined && { question: askModel('What is the capital of France?') }),
          ...(elicitation !== undefined && { user_name: askName }),
        },
      });
    },
  );
  server.registerTool('test_streaming_elicitation', { description: 'Asks the user.' }, ({ mcpReq }) =>
    inputResponse(mcpReq.inputResponses, 'user_name').kind === 'elicit'
      ? answer('The user has answered.')
      : inputRequired({ inputRequests: { user_name: askName } }),
  );
}
