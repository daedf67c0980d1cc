/** @mandate/runner: runs the workflows of agent manifests under governance. */
export {};
