package protocol

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"sort"
	"syscall"
)

// Network is the network that a manifest URL is on: Go's own transport, with all that
// it does to headers and bodies, over a connection in memory.
func (w *World) Network() http.RoundTripper { return network{w} }

type network struct{ world *World }

func (n network) RoundTrip(r *http.Request) (*http.Response, error) {
	server := &server{world: n.world, url: r.URL.String(), context: r.Context()}
	dial := func(context.Context, string, string) (net.Conn, error) {
		client, served := net.Pipe()
		go server.serve(served)
		return client, nil
	}
	transport := &http.Transport{DialContext: dial, DialTLSContext: dial}
	response, err := transport.RoundTrip(r)
	if err != nil && server.failure != nil {
		err = server.failure
	}
	return response, err
}

// server is the other end of a connection: it serves one request.
type server struct {
	world   *World
	url     string
	context context.Context
	failure error // set before the connection is closed
}

func (s *server) serve(connection net.Conn) {
	defer connection.Close()
	request, err := http.ReadRequest(bufio.NewReader(connection))
	if err != nil {
		return
	}
	reply, err := s.world.fetch(s.context, s.url, request.Header)
	if err != nil {
		s.failure = err
		return
	}
	reply.write(connection)
}

type reply struct {
	Status  int         `json:"status"`
	Headers [][2]string `json:"headers"`
	Body    []byte      `json:"body"`
}

// write writes the reply as a server would; an error is the client's having gone.
func (r reply) write(to io.Writer) {
	fmt.Fprintf(to, "HTTP/1.1 %03d %s\r\n", r.Status, http.StatusText(r.Status))
	for _, header := range r.Headers {
		name := http.CanonicalHeaderKey(header[0])
		if name != "Content-Length" && name != "Transfer-Encoding" {
			fmt.Fprintf(to, "%s: %s\r\n", header[0], header[1])
		}
	}
	fmt.Fprintf(to, "Content-Length: %d\r\nConnection: close\r\n\r\n", len(r.Body))
	to.Write(r.Body)
}

// failure is how a connection, a list or a watch failed.
type failure struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Status  int    `json:"status"`
}

func (f failure) asError() error {
	switch f.Kind {
	case "refused":
		return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	case "reset":
		return &net.OpError{Op: "read", Net: "tcp", Err: syscall.ECONNRESET}
	case "dns":
		return &net.DNSError{Err: "no such host", IsNotFound: true}
	case "tls":
		return &tls.CertificateVerificationError{Err: fmt.Errorf("%s", f.Message)}
	case "timeout":
		return &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ETIMEDOUT}
	}
	return io.ErrUnexpectedEOF
}

type answer struct {
	Reply *reply           `json:"reply"`
	List  json.RawMessage  `json:"list"`
	Event *json.RawMessage `json:"event"`
	Error *failure         `json:"error"`
}

// fetch asks the suite for one GET. The time limit is the client's own, which ends the
// context, so the suite is told of none.
func (w *World) fetch(ctx context.Context, url string, header http.Header) (reply, error) {
	params := map[string]any{"url": url, "headers": pairs(header), "timeout_ns": 0}
	answer, err := w.question(ctx, "env/fetch", params)
	switch {
	case err != nil:
		return reply{}, err
	case answer.Error != nil:
		return reply{}, answer.Error.asError()
	case answer.Reply == nil:
		return reply{}, BadParams("http/reply has neither reply nor error")
	}
	return *answer.Reply, nil
}

// question asks something that is answered once, later.
func (w *World) question(ctx context.Context, method string, params map[string]any) (answer, error) {
	heard := make(chan json.RawMessage, 1)
	id := w.open(method, params, func(params json.RawMessage) { heard <- params })
	select {
	case params := <-heard:
		w.forget(id)
		return Decode[answer](params)
	case <-ctx.Done():
		w.cancel(id)
		return answer{}, ctx.Err()
	}
}

func pairs(header http.Header) [][2]string {
	names := make([]string, 0, len(header))
	for name := range header {
		names = append(names, name)
	}
	sort.Strings(names)
	list := [][2]string{}
	for _, name := range names {
		for _, value := range header[name] {
			list = append(list, [2]string{name, value})
		}
	}
	return list
}

// Bytes are bytes in base64.
func Bytes(text string) ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, BadParams("data: %v", err)
	}
	return data, nil
}
