/** Gives each test file its own modules of the console; React and other packages stay loaded. */
import { vi } from "vitest";

const shared = globalThis as { channels?: Set<BroadcastChannel> };

function registerChannels(): Set<BroadcastChannel> {
  const channels = new Set<BroadcastChannel>();
  globalThis.BroadcastChannel = class extends BroadcastChannel {
    constructor(name: string) {
      super(name);
      channels.add(this);
    }
  };
  return channels;
}

// The modules of an earlier file would still receive what this file's modules tell other tabs.
const channels = (shared.channels ??= registerChannels());
for (const channel of channels) channel.close();
channels.clear();

vi.resetModules();
