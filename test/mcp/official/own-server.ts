/** Our own server as a driven server. The official servers speak only the older era, and this server speaks both. */
import { fileURLToPath } from 'node:url';
import type { DrivenServer } from './official-servers.ts';

/** The tools that send requests to the client. A server of the newer era cannot. */
const ASKING_TOOLS = [
  'test_sampling',
  'test_elicitation',
  'test_elicitation_sep1034_defaults',
  'test_elicitation_sep1330_enums',
];

const TOOLS = [
  'test_simple_text',
  'test_image_content',
  'test_audio_content',
  'test_embedded_resource',
  'test_multiple_content_types',
  'test_error_handling',
  'test_tool_with_logging',
  'test_logging_tool',
  'test_tool_with_progress',
  'test_reconnection',
  'test_input_required_result_elicitation',
  'test_input_required_result_sampling',
  'test_input_required_result_list_roots',
  'test_input_required_result_request_state',
  'test_input_required_result_tampered_state',
  'test_input_required_result_multiple_inputs',
  'test_input_required_result_multi_round',
  'test_missing_capability',
  'test_input_required_result_capabilities',
  'test_streaming_elicitation',
  'test_trigger_prompt_change',
  ...ASKING_TOOLS,
];

export function ownServer(): DrivenServer {
  return {
    name: 'our own server',
    command: [process.execPath, fileURLToPath(import.meta.resolve('../conformance-server/stdio.fixture.ts'))],
    env: {},
    root: '/work',
    calls: [
      ...TOOLS.map((name) => [name, { prompt: 'Hello?', message: 'Hello?' }] as const),
      ['test_parameter_in_header', { region: 'Österreich' }],
      ['json_schema_2020_12_tool', { phone: '1' }],
      ['json_schema_2020_12_tool', {}],
      // The tool is called twice, so that the list is the same as before.
      ['test_trigger_tool_change', {}],
      ['test_trigger_tool_change', {}],
      ['no-such-tool', {}],
    ],
    taskCalls: [],
    resources: ['test://static-text', 'test://static-binary', 'test://template/7/data', 'test://missing'],
    prompts: [
      { name: 'test_simple_prompt' },
      { name: 'test_prompt_with_arguments', arguments: { arg1: 'a', arg2: 'b' } },
      { name: 'test_prompt_with_image' },
      { name: 'test_input_required_result_prompt' },
    ],
    normalise: (text) => text.replaceAll(/v1\.[\w-]+\.[\w-]+/g, 'STATE'),
  };
}
