// Addresses of LiteLLM's keep their destination, and only private addresses count as local.
import { baseUrlOf, hostLabel, isLocal } from './addresses.js';

it.each([
  ['http://localhost:11434', true, 'http://localhost:11434/v1'],
  ['http://localhost:11434/', true, 'http://localhost:11434/v1'],
  ['http://gpu:8000/v1/', true, 'http://gpu:8000/v1'],
  ['http://gpu:8000/v1', false, 'http://gpu:8000/v1'],
  ['https://proxy.example/llm/chat/completions', false, 'https://proxy.example/llm'],
  ['https://proxy.example/v1/messages', false, 'https://proxy.example'],
  ['https://x.openai.azure.com/', false, 'https://x.openai.azure.com'],
  ['https://x.openai.azure.com/openai/deployments/gpt-4o?api-version=1', false, 'https://x.openai.azure.com'],
  ['https://x.services.ai.azure.com/anthropic', false, 'https://x.services.ai.azure.com'],
  ['https://generativelanguage.example/v1beta', false, 'https://generativelanguage.example'],
  ['https://me:secret@proxy.example/v1', false, undefined],
  ['ftp://proxy.example', false, undefined],
  ['your_api_base', false, undefined],
])('%s (a version is required: %s) is %s', (text, isVersioned, expected) => {
  expect(baseUrlOf(text, isVersioned)).toBe(expected);
});

it.each([
  'http://localhost:11434/v1',
  'http://127.0.0.1:8000',
  'http://[::1]:8000',
  'http://0.0.0.0:4000',
  'http://10.1.2.3',
  'http://192.168.0.7:8000',
  'http://172.20.0.2',
  'http://[fd00::1]',
  'http://gpu:8000',
  'http://ollama.models.svc',
  'http://ollama.models.svc.cluster.local',
  'http://host.docker.internal:11434',
])('%s is local', (address) => expect(isLocal(address)).toBe(true));

it.each([
  'https://api.openai.com/v1',
  'http://8.8.8.8',
  'https://vllm.example.com',
  'http://[2606:4700::1]',
  'https://local.example.com',
])('%s is not', (address) => expect(isLocal(address)).toBe(false));

it.each([
  ['https://my-eu.openai.azure.com', 'my-eu'],
  ['http://localhost:11434/v1', 'localhost-11434'],
  ['http://10.0.0.5:8000', '10-0-0-5-8000'],
  ['http://[::1]:8000', '1-8000'],
])('%s is labelled %s', (address, label) => expect(hostLabel(address)).toBe(label));
