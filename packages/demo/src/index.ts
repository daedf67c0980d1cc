/**
 * @mandate/demo: the main job, seen in a minute. A fleet of agents calls real MCP servers under a plane in this process. Some
 * agents misbehave, an operator stops a runaway, and at the end log, ledger and audit are compared.
 *
 * `runDemo` plays it. How it looks is for the caller (`DemoView`): `mandate demo` prints it. It runs in a clone of the
 * repository only. No image has it, because no image has the tool servers.
 */
export { type DemoOptions, type DemoView, runDemo } from './run-demo.ts';
