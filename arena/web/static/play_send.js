// What the pages of a game send to the arena, each with the word that only our own pages know.

const csrf = document.querySelector("meta[name=arena-csrf]").content;

/** Sends it and returns the answer; where it was refused, or nobody answered, `error` says why. */
export async function send(address, content) {
  try {
    const response = await fetch(address, {
      method: "POST",
      headers: { "content-type": "application/json", "x-arena-csrf": csrf },
      body: JSON.stringify(content),
    });
    const answer = await response.json();
    return response.ok ? answer : { error: answer.error ?? "That was refused.", status: response.status };
  } catch {
    return { error: "The arena does not answer. Is it still running?" };
  }
}
