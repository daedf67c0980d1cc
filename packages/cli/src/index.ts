/**
 * @mandate/cli: the `mandate` command: its options, its output and its exit codes.
 *
 * `mandate up` opens a plane (@mandate/plane). Most commands ask a running plane over HTTP (@mandate/client). `eval`, `test`,
 * `lint` and `validate` decide and check without a plane (@mandate/engine, @mandate/cases, @mandate/control). The command
 * imports no service.
 */

export { runProgram } from './program.ts';
