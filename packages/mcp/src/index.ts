/**
 * @mandate/mcp: the proxy between a client and a server of MCP (the Model Context Protocol). Neither of them changes.
 *
 * The proxy relays frames. It touches only calls of tools, reads of resources, uses of prompts, and their lists. Each
 * call is decided first, through the SDK, and its outcome settles the charge. Lists show only what the policies allow.
 * Every other frame keeps its bytes, also frames of methods that the proxy does not know. So a new feature of the
 * protocol needs no new proxy.
 *
 * Promises: a call reaches the server only after an ALLOW, and the server reads the call that was decided. If the plane
 * is away, calls are blocked. Whether the client, the server or the proxy ends, no process of the server is left. Every
 * line and every queue has a limit.
 *
 * `govern` decides, and does not depend on a transport. `stdio` and `http` are the transports. With `remote`, a client
 * over stdio reaches a server over HTTP.
 */

export { Session } from './govern/session.ts';
export { type Caller, callerOf, type DeferMode, type ProxySettings } from './govern/settings.ts';
export { Callers } from './http/callers.ts';
export { startHttpProxy } from './http/start-http-proxy.ts';
export { type Pin, type PinFile, readPins, ToolPins, writePins } from './pins/tool-pins.ts';
export { isOwnHeader } from './remote/remote-headers.ts';
export { RemoteServer } from './remote/remote-server.ts';
export { type ProxyEnd, runStdioProxy } from './stdio/run-stdio-proxy.ts';
export { ServerProcess } from './stdio/server-process.ts';
