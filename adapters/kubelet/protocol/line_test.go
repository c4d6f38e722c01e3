package protocol

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"
)

func TestReadRefusesWhatIsNoMessageAndGoesOn(t *testing.T) {
	out := &bytes.Buffer{}
	line := NewLine(strings.NewReader("rubbish\n\n[1]\n{}\n"+`{"id":1,"method":"settle"}`+"\n"), out)

	m, err := line.read()

	if err != nil || m.Method != "settle" {
		t.Fatalf("read gave %+v, %v", m, err)
	}
	if refusals := strings.Count(out.String(), `"code":-32700`); refusals != 3 {
		t.Errorf("%d refusals in %s, not 3", refusals, out)
	}
}

func TestReadEndsWithTheInput(t *testing.T) {
	if _, err := NewLine(strings.NewReader(""), io.Discard).read(); err != io.EOF {
		t.Errorf("the error is %v, not EOF", err)
	}
}

func TestReadRefusesAnAnswerToNothingAndGoesOn(t *testing.T) {
	out := &bytes.Buffer{}
	in := `{"id":5}` + "\n" + `{"id":"q1","result":{}}` + "\n" + `{"id":1,"method":"settle"}` + "\n"
	line := NewLine(strings.NewReader(in), out)

	m, err := line.read()

	if err != nil || m.Method != "settle" {
		t.Fatalf("read gave %+v, %v", m, err)
	}
	if refusals := strings.Count(out.String(), `"code":-32700`); refusals != 2 {
		t.Errorf("%d refusals in %s, not 2", refusals, out)
	}
}

// answering is a suite that answers whatever is written to it.
type answering struct {
	bytes.Buffer
	to io.Writer
}

func (a *answering) Write(text []byte) (int, error) {
	go io.WriteString(a.to, `{"id":"q1","result":{"value":7}}`+"\n")
	return a.Buffer.Write(text)
}

func TestAskWaitsForItsAnswer(t *testing.T) {
	in, suite := io.Pipe()
	out := &answering{to: suite}
	line := NewLine(in, out)
	go line.read()

	result, fault := line.ask("env/ask", map[string]any{"question": "x"})

	if fault != nil || string(result) != `{"value":7}` {
		t.Errorf("ask gave %s, %v", result, fault)
	}
	if want := `{"jsonrpc":"2.0","id":"q1","method":"env/ask","params":{"question":"x"}}` + "\n"; out.String() != want {
		t.Errorf("ask wrote %s", out)
	}
}

func TestAnswersAreOneLineEach(t *testing.T) {
	out := &bytes.Buffer{}
	line := NewLine(strings.NewReader(""), out)

	line.answer(json.RawMessage("1"), nil, nil)
	line.answer(json.RawMessage("2"), map[string]any{"value": "a\n<b>"}, nil)
	line.answer(json.RawMessage("3"), nil, Refused("no name", true))

	want := `{"jsonrpc":"2.0","id":1,"result":{}}
{"jsonrpc":"2.0","id":2,"result":{"value":"a\n<b>"}}
{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"no name","data":{"parsed":true,"reason":"no name"}}}
`
	if out.String() != want {
		t.Errorf("written was\n%s", out)
	}
}

func TestAnErrorOfTheSystemKeepsItsNumber(t *testing.T) {
	fault := &Error{}
	json.Unmarshal([]byte(`{"code":3,"message":"x","data":{"errno":24}}`), fault)

	if text := fault.osError().Error(); text != "too many open files" {
		t.Errorf("the error is %q", text)
	}
}
