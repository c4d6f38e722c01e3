package protocol

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"strconv"
	"sync"
	"sync/atomic"
)

// Line is the connection to the suite: one message a line.
//
// It belongs to no bubble, and neither does its channel: a bubble that waits for an
// answer is not durably blocked, so its clock stands until the answer is there.
type Line struct {
	in      *bufio.Reader
	writing sync.Mutex
	out     *bufio.Writer
	turn    sync.Mutex // held by who speaks, and while nobody may
	asked   int
	waiting atomic.Pointer[string] // the id whose answer is awaited
	answers chan message
}

// NewLine makes a line of a reader and a writer.
func NewLine(in io.Reader, out io.Writer) *Line {
	return &Line{
		in:      bufio.NewReaderSize(in, 1<<20),
		out:     bufio.NewWriterSize(out, 1<<16),
		answers: make(chan message),
	}
}

// read returns the next request or notification. Answers go to who has asked, and what
// is no message is answered as such. io.EOF is the end.
func (l *Line) read() (message, error) {
	for {
		text, err := l.in.ReadBytes('\n')
		if len(bytes.TrimSpace(text)) == 0 {
			if err != nil {
				return message{}, err
			}
			continue
		}
		var m message
		if fault := json.Unmarshal(text, &m); fault != nil {
			l.refuse(fault.Error())
		} else if m.Method != "" {
			return m, nil
		} else if len(m.ID) == 0 {
			l.refuse("it has neither method nor id")
		} else if !l.awaited(m.ID) {
			l.refuse("it has no method, and nothing was asked with the id " + string(m.ID))
		} else {
			l.answers <- m
		}
	}
}

// awaited tells whether an answer with that id is awaited, once for each question.
func (l *Line) awaited(id json.RawMessage) bool {
	waiting := l.waiting.Load()
	return waiting != nil && *waiting == string(id) && l.waiting.CompareAndSwap(waiting, nil)
}

func (l *Line) refuse(reason string) {
	text := "not a message: " + reason
	fault := &Error{Code: codeNotAMessage, Message: text}
	l.write(message{ID: json.RawMessage("null"), Error: fault})
}

// answer answers the request of that id.
func (l *Line) answer(id json.RawMessage, value any, err *Error) {
	if err != nil {
		l.write(message{ID: id, Error: err})
		return
	}
	if value == nil {
		value = struct{}{}
	}
	l.write(message{ID: id, Result: encode(value)})
}

// hush lets nobody speak until speak: an adapter speaks while it works on a request.
func (l *Line) hush() { l.turn.Lock() }

// speak lets those speak who have waited.
func (l *Line) speak() { l.turn.Unlock() }

// notify tells the suite something.
func (l *Line) notify(method string, params any) {
	l.turn.Lock()
	defer l.turn.Unlock()
	l.write(message{Method: method, Params: encode(params)})
}

// ask asks the suite something and waits for the answer.
func (l *Line) ask(method string, params any) (json.RawMessage, *Error) {
	l.turn.Lock()
	defer l.turn.Unlock()
	l.asked++
	id := strconv.Quote("q" + strconv.Itoa(l.asked))
	l.waiting.Store(&id)
	l.write(message{ID: json.RawMessage(id), Method: method, Params: encode(params)})
	answer := <-l.answers
	return answer.Result, answer.Error
}

func (l *Line) write(m message) {
	m.JSONRPC = "2.0"
	l.writing.Lock()
	defer l.writing.Unlock()
	l.out.Write(encode(m))
	l.out.WriteByte('\n')
	l.out.Flush()
}

// encode is for our own values, which always can be written as JSON.
func encode(value any) json.RawMessage {
	var text bytes.Buffer
	writer := json.NewEncoder(&text)
	writer.SetEscapeHTML(false)
	if err := writer.Encode(value); err != nil {
		panic(err)
	}
	return bytes.TrimRight(text.Bytes(), "\n")
}
