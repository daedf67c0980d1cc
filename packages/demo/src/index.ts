/**
 * @mandate/demo: what the product does, shown in a minute. A fleet of agents calls real MCP servers under a plane in
 * this process. Some agents misbehave, and an operator stops a runaway agent. A manifest runs in runners of their own
 * processes, of which one is killed. At the end the demo compares log, ledger and audit.
 *
 * `runDemo` plays it. The caller chooses how it looks (`DemoView`); `mandate demo` prints it. The demo runs only in a
 * clone of the repository. No image has it, because no image has the tool servers.
 */
export { type DemoOptions, type DemoView, runDemo } from './run-demo.ts';
