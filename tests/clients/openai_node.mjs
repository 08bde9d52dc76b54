// OpenAI's own library for Node.js: each case against the chat proxy; what came of it as one line of JSON.
import OpenAI from "openai";

const [question, image] = process.argv.slice(2);
const client = new OpenAI({ maxRetries: 0 }); // address and key from the environment, as the page Connect names them
const ask = (content, more = {}) =>
  client.chat.completions.create({ model: "loop-1", messages: [{ role: "user", content }], ...more });
const failure = async (work) => {
  try {
    await work();
    return "no error";
  } catch (error) {
    return `${error.constructor.name} ${error.status ?? ""}`.trim();
  }
};
const words = async (stream, most = Infinity) => {
  const said = [];
  for await (const event of stream) {
    said.push(event.choices[0]?.delta?.content ?? "");
    if (said.length >= most) stream.controller.abort();
  }
  return said;
};

const { data, response } = await ask(question).withResponse();
const tools = [{ type: "function", function: { name: "weather", parameters: { type: "object" } } }];
const called = await ask("Is there a tool for the weather?", { tools });
const parts = [{ type: "image_url", image_url: { url: image } }, { type: "text", text: question }];
console.log(
  JSON.stringify({
    whole: data.choices[0].message.content,
    status: response.headers.get("x-memory-status"),
    stream: (await words(await ask(question, { stream: true }))).join(""),
    tool: called.choices[0].message.tool_calls[0].function.name,
    image: (await ask(parts)).choices[0].message.content,
    limited: await failure(() => ask("too many")),
    failed: await failure(() => ask("fail", { stream: true })),
    broken: await failure(async () => words(await ask("break off", { stream: true }))),
    left: (await words(await ask("for ever", { stream: true }), 2)).length,
    models: (await client.models.list()).data.map((model) => model.id),
    vector: (await client.embeddings.create({ model: "loop-1", input: "a", encoding_format: "float" })).data[0].embedding,
  }),
);
