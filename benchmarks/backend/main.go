// The backend of the measurements: bench.v1.Orders, quick enough never to be what is measured.
//
// It reads and writes the wire format by hand, since a reply that takes longer than the call would hide what stands in
// front of it. Prints the port that it listens on as its first line, and ends on SIGTERM.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math"
	"net"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"

	"google.golang.org/grpc"
	"google.golang.org/grpc/encoding"
	"google.golang.org/grpc/mem"
	"google.golang.org/protobuf/encoding/protowire"
)

const limitLines = 100_000

// wireCodec hands messages over as they stand on the wire: every message is a *[]byte.
type wireCodec struct{}

func (wireCodec) Name() string { return "proto" }

func (wireCodec) Marshal(message any) (mem.BufferSlice, error) {
	return mem.BufferSlice{mem.SliceBuffer(*message.(*[]byte))}, nil
}

func (wireCodec) Unmarshal(data mem.BufferSlice, message any) error {
	*message.(*[]byte) = data.Materialize()
	return nil
}

var _ encoding.CodecV2 = wireCodec{}

var errWire = errors.New("the request is not readable")

// field is one field of a message; text holds what is length-delimited, number what is a varint.
type field struct {
	number protowire.Number
	text   []byte
	value  uint64
}

// eachField calls visit for every varint and length-delimited field of a message.
func eachField(message []byte, visit func(field)) error {
	for len(message) > 0 {
		number, kind, size := protowire.ConsumeTag(message)
		if size < 0 {
			return errWire
		}
		message = message[size:]
		found := field{number: number}
		switch kind {
		case protowire.VarintType:
			found.value, size = protowire.ConsumeVarint(message)
		case protowire.BytesType:
			found.text, size = protowire.ConsumeBytes(message)
		default:
			size = protowire.ConsumeFieldValue(number, kind, message)
		}
		if size < 0 {
			return errWire
		}
		visit(found)
		message = message[size:]
	}
	return nil
}

func appendText(to []byte, number protowire.Number, text string) []byte {
	return protowire.AppendString(protowire.AppendTag(to, number, protowire.BytesType), text)
}

func appendNumber(to []byte, number protowire.Number, value uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(to, number, protowire.VarintType), value)
}

func appendMessage(to []byte, number protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(to, number, protowire.BytesType), message)
}

func money(units uint64, nanos uint64) []byte {
	return appendNumber(appendNumber(appendText(nil, 1, "EUR"), 2, units), 3, nanos)
}

func appendLine(to []byte, index int) []byte {
	line := appendText(nil, 1, fmt.Sprintf("SKU-%04d", index))
	line = appendNumber(line, 2, uint64(index%9+1))
	line = appendMessage(line, 3, money(uint64(index%90+10), 500_000_000))
	line = appendText(line, 4, "gift wrap, please")
	return appendMessage(to, 4, line)
}

// orders answers with what was put together when it was made, but for the id and the number of lines.
type orders struct {
	head, tail []byte
	lines      []byte
	ends       []int
	serial     atomic.Uint64
}

func newOrders() *orders {
	made := &orders{ends: make([]int, limitLines+1)}
	made.head = appendNumber(nil, 2, 2)
	made.head = appendMessage(made.head, 3, appendNumber(appendNumber(nil, 1, 1_785_000_000), 2, 250_000_000))
	for index := range limitLines {
		made.lines = appendLine(made.lines, index)
		made.ends[index+1] = len(made.lines)
	}
	for _, label := range [][2]string{{"channel", "web"}, {"priority", "high"}} {
		made.tail = appendMessage(made.tail, 5, appendText(appendText(nil, 1, label[0]), 2, label[1]))
	}
	made.tail = appendMessage(made.tail, 6, money(421, 990_000_000))
	made.tail = appendText(made.tail, 7, "customers/8812")
	made.tail = protowire.AppendFixed64(protowire.AppendTag(made.tail, 8, protowire.Fixed64Type), math.Float64bits(12.75))
	made.tail = appendMessage(made.tail, 9, []byte{0xde, 0xad, 0xbe, 0xef, 0x00, 0x10, 0x20, 0x30})
	made.tail = appendNumber(made.tail, 10, 1)
	return made
}

func (served *orders) getOrder(request []byte) ([]byte, error) {
	var id []byte
	count := 0
	err := eachField(request, func(found field) {
		switch found.number {
		case 1:
			id = found.text
		case 3:
			count = int(min(found.value, limitLines))
		}
	})
	lines := served.lines[:served.ends[count]]
	reply := make([]byte, 0, len(id)+len(served.head)+len(lines)+len(served.tail)+8)
	reply = appendMessage(reply, 1, id)
	reply = append(append(append(reply, served.head...), lines...), served.tail...)
	return reply, err
}

func (served *orders) ping(request []byte) ([]byte, error) {
	var text []byte
	err := eachField(request, func(found field) {
		if found.number == 1 {
			text = found.text
		}
	})
	return appendNumber(appendMessage(nil, 1, text), 2, served.serial.Add(1)), err
}

func method(name string, answer func([]byte) ([]byte, error)) grpc.MethodDesc {
	handler := func(_ any, _ context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
		var request []byte
		if err := decode(&request); err != nil {
			return nil, err
		}
		reply, err := answer(request)
		return &reply, err
	}
	return grpc.MethodDesc{MethodName: name, Handler: handler}
}

func main() {
	address := flag.String("listen", "127.0.0.1:0", "where to listen")
	flag.Parse()
	listener, err := net.Listen("tcp", *address)
	if err != nil {
		log.Fatal(err)
	}
	served := newOrders()
	server := grpc.NewServer(grpc.ForceServerCodecV2(wireCodec{}))
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "bench.v1.Orders",
		HandlerType: (*any)(nil),
		Methods:     []grpc.MethodDesc{method("GetOrder", served.getOrder), method("Ping", served.ping)},
	}, served)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		server.Stop()
	}()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	if err := server.Serve(listener); err != nil {
		log.Fatal(err)
	}
}
