/**
 * @mandate/client: speaks to a plane over HTTP. Commands, agents, the console and tests use it, and it needs no part of a
 * server.
 *
 * `createApiClient` sends each request to the service that has its route: gateway, query service, alerter or control
 * service. A plane in one process has one address for all four. `rowsOf` reads a list page by page, and `readEvents` reads
 * a stream of server-sent events.
 *
 * What it promises: a request fails with an `ApiError` that says what went wrong and what to do, or with the abort of the
 * caller's own signal. It never repeats a request by itself.
 */

export { type ApiClient, createApiClient, DEFAULT_URL, type Query } from './api-client.ts';
export { ApiError, type Fault } from './api-error.ts';
export { allOf, type NextPage, type PagedList, rowsOf } from './pages.ts';
export { readEvents } from './server-sent-events.ts';
export { SERVICE_NAMES, type Service, serviceOf } from './services.ts';
