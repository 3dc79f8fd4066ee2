// Made by `python native/interpose/generate.py`: change functions.toml or generate.py, not this file.
// clang-format off
#include "wrap/communication/messages.hpp"

#include "generated/wrappers.hpp"

namespace fairlead::wrapped {

int MPIX_Comm_shrink(MPI_Comm comm, MPI_Comm* newcomm) {
    Call call(Function::MPIX_Comm_shrink);
    none_yet(newcomm);
    const int error = call.timed(next<decltype(MPIX_Comm_shrink)>(Function::MPIX_Comm_shrink)(comm, newcomm));
    if (call.counts(error)) {
        if (newcomm != nullptr) created(*newcomm);
    }
    return error;
}

int MPI_Bsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Call call(Function::MPI_Bsend);
    const int error = call.timed(next<decltype(MPI_Bsend)>(Function::MPI_Bsend)(buf, count, datatype, dest, tag, comm));
    if (call.counts(error)) {
        sent(call, comm, dest, tag, bytes(count, datatype));
    }
    return error;
}

int MPI_Bsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Call call(Function::MPI_Bsend_c);
    const int error = call.timed(next<decltype(MPI_Bsend_c)>(Function::MPI_Bsend_c)(buf, count, datatype, dest, tag, comm));
    if (call.counts(error)) {
        sent(call, comm, dest, tag, bytes(count, datatype));
    }
    return error;
}

int MPI_Bsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Bsend_init);
    const int error = call.timed(next<decltype(MPI_Bsend_init)>(Function::MPI_Bsend_init)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, tag, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Bsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Bsend_init_c);
    const int error = call.timed(next<decltype(MPI_Bsend_init_c)>(Function::MPI_Bsend_init_c)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, tag, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Cart_create(MPI_Comm comm_old, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm* comm_cart) {
    Call call(Function::MPI_Cart_create);
    none_yet(comm_cart);
    const int error = call.timed(next<decltype(MPI_Cart_create)>(Function::MPI_Cart_create)(comm_old, ndims, dims, periods, reorder, comm_cart));
    if (call.counts(error)) {
        if (comm_cart != nullptr) created(*comm_cart);
    }
    return error;
}

int MPI_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm* newcomm) {
    Call call(Function::MPI_Cart_sub);
    none_yet(newcomm);
    const int error = call.timed(next<decltype(MPI_Cart_sub)>(Function::MPI_Cart_sub)(comm, remain_dims, newcomm));
    if (call.counts(error)) {
        if (newcomm != nullptr) created(*newcomm);
    }
    return error;
}

int MPI_Comm_accept(const char* port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm) {
    Call call(Function::MPI_Comm_accept);
    none_yet(newcomm);
    const int error = call.timed(next<decltype(MPI_Comm_accept)>(Function::MPI_Comm_accept)(port_name, info, root, comm, newcomm));
    if (call.counts(error)) {
        if (newcomm != nullptr) created(*newcomm);
    }
    return error;
}

int MPI_Comm_connect(const char* port_name, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* newcomm) {
    Call call(Function::MPI_Comm_connect);
    none_yet(newcomm);
    const int error = call.timed(next<decltype(MPI_Comm_connect)>(Function::MPI_Comm_connect)(port_name, info, root, comm, newcomm));
    if (call.counts(error)) {
        if (newcomm != nullptr) created(*newcomm);
    }
    return error;
}

int MPI_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* newcomm) {
    Call call(Function::MPI_Comm_create);
    none_yet(newcomm);
    const int error = call.timed(next<decltype(MPI_Comm_create)>(Function::MPI_Comm_create)(comm, group, newcomm));
    if (call.counts(error)) {
        if (newcomm != nullptr) created(*newcomm);
    }
    return error;
}

int MPI_Comm_create_from_group(MPI_Group group, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* newcomm) {
    Call call(Function::MPI_Comm_create_from_group);
    none_yet(newcomm);
    const int error = call.timed(next<decltype(MPI_Comm_create_from_group)>(Function::MPI_Comm_create_from_group)(group, stringtag, info, errhandler, newcomm));
    if (call.counts(error)) {
        if (newcomm != nullptr) created(*newcomm);
    }
    return error;
}

int MPI_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* newcomm) {
    Call call(Function::MPI_Comm_create_group);
    none_yet(newcomm);
    const int error = call.timed(next<decltype(MPI_Comm_create_group)>(Function::MPI_Comm_create_group)(comm, group, tag, newcomm));
    if (call.counts(error)) {
        if (newcomm != nullptr) created(*newcomm);
    }
    return error;
}

int MPI_Comm_disconnect(MPI_Comm* comm) {
    Call call(Function::MPI_Comm_disconnect);
    if (comm != nullptr) forget_communicator(*comm);
    return call.timed(next<decltype(MPI_Comm_disconnect)>(Function::MPI_Comm_disconnect)(comm));
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* newcomm) {
    Call call(Function::MPI_Comm_dup);
    none_yet(newcomm);
    const int error = call.timed(next<decltype(MPI_Comm_dup)>(Function::MPI_Comm_dup)(comm, newcomm));
    if (call.counts(error)) {
        if (newcomm != nullptr) created(*newcomm);
    }
    return error;
}

int MPI_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm) {
    Call call(Function::MPI_Comm_dup_with_info);
    none_yet(newcomm);
    const int error = call.timed(next<decltype(MPI_Comm_dup_with_info)>(Function::MPI_Comm_dup_with_info)(comm, info, newcomm));
    if (call.counts(error)) {
        if (newcomm != nullptr) created(*newcomm);
    }
    return error;
}

int MPI_Comm_free(MPI_Comm* comm) {
    Call call(Function::MPI_Comm_free);
    if (comm != nullptr) forget_communicator(*comm);
    return call.timed(next<decltype(MPI_Comm_free)>(Function::MPI_Comm_free)(comm));
}

int MPI_Comm_idup(MPI_Comm comm, MPI_Comm* newcomm, MPI_Request* request) {
    Call call(Function::MPI_Comm_idup);
    none_yet(newcomm);
    const int error = call.timed(next<decltype(MPI_Comm_idup)>(Function::MPI_Comm_idup)(comm, newcomm, request));
    if (call.counts(error)) {
        if (newcomm != nullptr) created_like(comm, *newcomm);
    }
    return error;
}

int MPI_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* newcomm, MPI_Request* request) {
    Call call(Function::MPI_Comm_idup_with_info);
    none_yet(newcomm);
    const int error = call.timed(next<decltype(MPI_Comm_idup_with_info)>(Function::MPI_Comm_idup_with_info)(comm, info, newcomm, request));
    if (call.counts(error)) {
        if (newcomm != nullptr) created_like(comm, *newcomm);
    }
    return error;
}

int MPI_Comm_join(int fd, MPI_Comm* intercomm) {
    Call call(Function::MPI_Comm_join);
    none_yet(intercomm);
    const int error = call.timed(next<decltype(MPI_Comm_join)>(Function::MPI_Comm_join)(fd, intercomm));
    if (call.counts(error)) {
        if (intercomm != nullptr) created(*intercomm);
    }
    return error;
}

int MPI_Comm_spawn(const char* command, char* argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]) {
    Call call(Function::MPI_Comm_spawn);
    none_yet(intercomm);
    const int error = call.timed(next<decltype(MPI_Comm_spawn)>(Function::MPI_Comm_spawn)(command, argv, maxprocs, info, root, comm, intercomm, array_of_errcodes));
    if (call.counts(error)) {
        if (intercomm != nullptr) created(*intercomm);
    }
    return error;
}

int MPI_Comm_spawn_multiple(int count, char* array_of_commands[], char** array_of_argv[], const int array_of_maxprocs[], const MPI_Info array_of_info[], int root, MPI_Comm comm, MPI_Comm* intercomm, int array_of_errcodes[]) {
    Call call(Function::MPI_Comm_spawn_multiple);
    none_yet(intercomm);
    const int error = call.timed(next<decltype(MPI_Comm_spawn_multiple)>(Function::MPI_Comm_spawn_multiple)(count, array_of_commands, array_of_argv, array_of_maxprocs, array_of_info, root, comm, intercomm, array_of_errcodes));
    if (call.counts(error)) {
        if (intercomm != nullptr) created(*intercomm);
    }
    return error;
}

int MPI_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* newcomm) {
    Call call(Function::MPI_Comm_split);
    none_yet(newcomm);
    const int error = call.timed(next<decltype(MPI_Comm_split)>(Function::MPI_Comm_split)(comm, color, key, newcomm));
    if (call.counts(error)) {
        if (newcomm != nullptr) created(*newcomm);
    }
    return error;
}

int MPI_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm) {
    Call call(Function::MPI_Comm_split_type);
    none_yet(newcomm);
    const int error = call.timed(next<decltype(MPI_Comm_split_type)>(Function::MPI_Comm_split_type)(comm, split_type, key, info, newcomm));
    if (call.counts(error)) {
        if (newcomm != nullptr) created(*newcomm);
    }
    return error;
}

int MPI_Dist_graph_create(MPI_Comm comm_old, int n, const int sources[], const int degrees[], const int destinations[], const int weights[], MPI_Info info, int reorder, MPI_Comm* comm_dist_graph) {
    Call call(Function::MPI_Dist_graph_create);
    none_yet(comm_dist_graph);
    const int error = call.timed(next<decltype(MPI_Dist_graph_create)>(Function::MPI_Dist_graph_create)(comm_old, n, sources, degrees, destinations, weights, info, reorder, comm_dist_graph));
    if (call.counts(error)) {
        if (comm_dist_graph != nullptr) created(*comm_dist_graph);
    }
    return error;
}

int MPI_Dist_graph_create_adjacent(MPI_Comm comm_old, int indegree, const int sources[], const int sourceweights[], int outdegree, const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm* comm_dist_graph) {
    Call call(Function::MPI_Dist_graph_create_adjacent);
    none_yet(comm_dist_graph);
    const int error = call.timed(next<decltype(MPI_Dist_graph_create_adjacent)>(Function::MPI_Dist_graph_create_adjacent)(comm_old, indegree, sources, sourceweights, outdegree, destinations, destweights, info, reorder, comm_dist_graph));
    if (call.counts(error)) {
        if (comm_dist_graph != nullptr) created(*comm_dist_graph);
    }
    return error;
}

int MPI_Graph_create(MPI_Comm comm_old, int nnodes, const int index[], const int edges[], int reorder, MPI_Comm* comm_graph) {
    Call call(Function::MPI_Graph_create);
    none_yet(comm_graph);
    const int error = call.timed(next<decltype(MPI_Graph_create)>(Function::MPI_Graph_create)(comm_old, nnodes, index, edges, reorder, comm_graph));
    if (call.counts(error)) {
        if (comm_graph != nullptr) created(*comm_graph);
    }
    return error;
}

int MPI_Ibsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ibsend);
    const int error = call.timed(next<decltype(MPI_Ibsend)>(Function::MPI_Ibsend)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        sent_meanwhile(call, comm, dest, tag, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Ibsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ibsend_c);
    const int error = call.timed(next<decltype(MPI_Ibsend_c)>(Function::MPI_Ibsend_c)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        sent_meanwhile(call, comm, dest, tag, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int* flag, MPI_Message* message, MPI_Status* status) {
    Call call(Function::MPI_Improbe);
    const int error = call.timed(next<decltype(MPI_Improbe)>(Function::MPI_Improbe)(source, tag, comm, flag, message, status));
    if (call.counts(error)) {
        if (*flag) matched(call, comm, source, tag, *message);
        else probed_nothing(call, comm, source, tag);
    }
    return error;
}

int MPI_Imrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
    Call call(Function::MPI_Imrecv);
    const Match match = take_match(message);
    const int error = call.timed(next<decltype(MPI_Imrecv)>(Function::MPI_Imrecv)(buf, count, datatype, message, request));
    if (call.counts(error)) {
        receive_later(call, match, *request);
    } else {
        not_received(call, match, message);
    }
    return error;
}

int MPI_Imrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) {
    Call call(Function::MPI_Imrecv_c);
    const Match match = take_match(message);
    const int error = call.timed(next<decltype(MPI_Imrecv_c)>(Function::MPI_Imrecv_c)(buf, count, datatype, message, request));
    if (call.counts(error)) {
        receive_later(call, match, *request);
    } else {
        not_received(call, match, message);
    }
    return error;
}

int MPI_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm* newintercomm) {
    Call call(Function::MPI_Intercomm_create);
    none_yet(newintercomm);
    const int error = call.timed(next<decltype(MPI_Intercomm_create)>(Function::MPI_Intercomm_create)(local_comm, local_leader, peer_comm, remote_leader, tag, newintercomm));
    if (call.counts(error)) {
        if (newintercomm != nullptr) created(*newintercomm);
    }
    return error;
}

int MPI_Intercomm_create_from_groups(MPI_Group local_group, int local_leader, MPI_Group remote_group, int remote_leader, const char* stringtag, MPI_Info info, MPI_Errhandler errhandler, MPI_Comm* newintercomm) {
    Call call(Function::MPI_Intercomm_create_from_groups);
    none_yet(newintercomm);
    const int error = call.timed(next<decltype(MPI_Intercomm_create_from_groups)>(Function::MPI_Intercomm_create_from_groups)(local_group, local_leader, remote_group, remote_leader, stringtag, info, errhandler, newintercomm));
    if (call.counts(error)) {
        if (newintercomm != nullptr) created(*newintercomm);
    }
    return error;
}

int MPI_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm* newintracomm) {
    Call call(Function::MPI_Intercomm_merge);
    none_yet(newintracomm);
    const int error = call.timed(next<decltype(MPI_Intercomm_merge)>(Function::MPI_Intercomm_merge)(intercomm, high, newintracomm));
    if (call.counts(error)) {
        if (newintracomm != nullptr) created(*newintracomm);
    }
    return error;
}

int MPI_Iprobe(int source, int tag, MPI_Comm comm, int* flag, MPI_Status* status) {
    Call call(Function::MPI_Iprobe);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Iprobe)>(Function::MPI_Iprobe)(source, tag, comm, flag, status));
    if (call.counts(error)) {
        if (*flag) probed(call, comm, source, tag, *status);
        else probed_nothing(call, comm, source, tag);
    }
    return error;
}

int MPI_Irecv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Irecv);
    const int error = call.timed(next<decltype(MPI_Irecv)>(Function::MPI_Irecv)(buf, count, datatype, source, tag, comm, request));
    if (call.counts(error)) {
        receive_later(call, comm, source, tag, *request);
    }
    return error;
}

int MPI_Irecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Irecv_c);
    const int error = call.timed(next<decltype(MPI_Irecv_c)>(Function::MPI_Irecv_c)(buf, count, datatype, source, tag, comm, request));
    if (call.counts(error)) {
        receive_later(call, comm, source, tag, *request);
    }
    return error;
}

int MPI_Irsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Irsend);
    const int error = call.timed(next<decltype(MPI_Irsend)>(Function::MPI_Irsend)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        sent_meanwhile(call, comm, dest, tag, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Irsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Irsend_c);
    const int error = call.timed(next<decltype(MPI_Irsend_c)>(Function::MPI_Irsend_c)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        sent_meanwhile(call, comm, dest, tag, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Isend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Isend);
    const int error = call.timed(next<decltype(MPI_Isend)>(Function::MPI_Isend)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        sent_meanwhile(call, comm, dest, tag, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Isend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Isend_c);
    const int error = call.timed(next<decltype(MPI_Isend_c)>(Function::MPI_Isend_c)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        sent_meanwhile(call, comm, dest, tag, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Isendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Isendrecv);
    const int error = call.timed(next<decltype(MPI_Isendrecv)>(Function::MPI_Isendrecv)(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request));
    if (call.counts(error)) {
        sent(call, comm, dest, sendtag, bytes(sendcount, sendtype));
        if constexpr (kIsendrecvHasStatus) receive_later(call, comm, source, recvtag, *request);
    }
    return error;
}

int MPI_Isendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Isendrecv_c);
    const int error = call.timed(next<decltype(MPI_Isendrecv_c)>(Function::MPI_Isendrecv_c)(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, request));
    if (call.counts(error)) {
        sent(call, comm, dest, sendtag, bytes(sendcount, sendtype));
        if constexpr (kIsendrecvHasStatus) receive_later(call, comm, source, recvtag, *request);
    }
    return error;
}

int MPI_Isendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Isendrecv_replace);
    const int error = call.timed(next<decltype(MPI_Isendrecv_replace)>(Function::MPI_Isendrecv_replace)(buf, count, datatype, dest, sendtag, source, recvtag, comm, request));
    if (call.counts(error)) {
        sent(call, comm, dest, sendtag, bytes(count, datatype));
        if constexpr (kIsendrecvHasStatus) receive_later(call, comm, source, recvtag, *request);
    }
    return error;
}

int MPI_Isendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Isendrecv_replace_c);
    const int error = call.timed(next<decltype(MPI_Isendrecv_replace_c)>(Function::MPI_Isendrecv_replace_c)(buf, count, datatype, dest, sendtag, source, recvtag, comm, request));
    if (call.counts(error)) {
        sent(call, comm, dest, sendtag, bytes(count, datatype));
        if constexpr (kIsendrecvHasStatus) receive_later(call, comm, source, recvtag, *request);
    }
    return error;
}

int MPI_Issend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Issend);
    const int error = call.timed(next<decltype(MPI_Issend)>(Function::MPI_Issend)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        sent_meanwhile(call, comm, dest, tag, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Issend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Issend_c);
    const int error = call.timed(next<decltype(MPI_Issend_c)>(Function::MPI_Issend_c)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        sent_meanwhile(call, comm, dest, tag, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status) {
    Call call(Function::MPI_Mprobe);
    const int error = call.timed(next<decltype(MPI_Mprobe)>(Function::MPI_Mprobe)(source, tag, comm, message, status));
    if (call.counts(error)) {
        matched(call, comm, source, tag, *message);
    }
    return error;
}

int MPI_Mrecv(void* buf, int count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
    Call call(Function::MPI_Mrecv);
    const Match match = take_match(message);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Mrecv)>(Function::MPI_Mrecv)(buf, count, datatype, message, status));
    if (call.counts(error)) {
        received(call, match, *status);
    } else {
        if (is_too_long(call, error)) received_too_long(call, match, *status); else not_received(call, match, message);
    }
    return error;
}

int MPI_Mrecv_c(void* buf, MPI_Count count, MPI_Datatype datatype, MPI_Message* message, MPI_Status* status) {
    Call call(Function::MPI_Mrecv_c);
    const Match match = take_match(message);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Mrecv_c)>(Function::MPI_Mrecv_c)(buf, count, datatype, message, status));
    if (call.counts(error)) {
        received(call, match, *status);
    } else {
        if (is_too_long(call, error)) received_too_long(call, match, *status); else not_received(call, match, message);
    }
    return error;
}

int MPI_Precv_init(void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Precv_init);
    const int error = call.timed(next<decltype(MPI_Precv_init)>(Function::MPI_Precv_init)(buf, partitions, count, datatype, source, tag, comm, info, request));
    if (call.counts(error)) {
        receive_when_started(call, comm, source, tag, static_cast<std::uint64_t>(partitions) * bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status* status) {
    Call call(Function::MPI_Probe);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Probe)>(Function::MPI_Probe)(source, tag, comm, status));
    if (call.counts(error)) {
        probed(call, comm, source, tag, *status);
    }
    return error;
}

int MPI_Psend_init(const void* buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Info info, MPI_Request* request) {
    Call call(Function::MPI_Psend_init);
    const int error = call.timed(next<decltype(MPI_Psend_init)>(Function::MPI_Psend_init)(buf, partitions, count, datatype, dest, tag, comm, info, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, tag, static_cast<std::uint64_t>(partitions) * bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Recv(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
    Call call(Function::MPI_Recv);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Recv)>(Function::MPI_Recv)(buf, count, datatype, source, tag, comm, status));
    if (call.counts(error)) {
        received(call, comm, *status);
    } else {
        if (is_too_long(call, error)) {  received_too_long(call, comm, source, tag, *status); }
    }
    return error;
}

int MPI_Recv_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Status* status) {
    Call call(Function::MPI_Recv_c);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Recv_c)>(Function::MPI_Recv_c)(buf, count, datatype, source, tag, comm, status));
    if (call.counts(error)) {
        received(call, comm, *status);
    } else {
        if (is_too_long(call, error)) {  received_too_long(call, comm, source, tag, *status); }
    }
    return error;
}

int MPI_Recv_init(void* buf, int count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Recv_init);
    const int error = call.timed(next<decltype(MPI_Recv_init)>(Function::MPI_Recv_init)(buf, count, datatype, source, tag, comm, request));
    if (call.counts(error)) {
        receive_when_started(call, comm, source, tag, kByStatus, *request);
    }
    return error;
}

int MPI_Recv_init_c(void* buf, MPI_Count count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Recv_init_c);
    const int error = call.timed(next<decltype(MPI_Recv_init_c)>(Function::MPI_Recv_init_c)(buf, count, datatype, source, tag, comm, request));
    if (call.counts(error)) {
        receive_when_started(call, comm, source, tag, kByStatus, *request);
    }
    return error;
}

int MPI_Request_free(MPI_Request* request) {
    Call call(Function::MPI_Request_free);
    if (request != nullptr) forget_request(call, *request);
    return call.timed(next<decltype(MPI_Request_free)>(Function::MPI_Request_free)(request));
}

int MPI_Rsend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Call call(Function::MPI_Rsend);
    const int error = call.timed(next<decltype(MPI_Rsend)>(Function::MPI_Rsend)(buf, count, datatype, dest, tag, comm));
    if (call.counts(error)) {
        sent(call, comm, dest, tag, bytes(count, datatype));
    }
    return error;
}

int MPI_Rsend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Call call(Function::MPI_Rsend_c);
    const int error = call.timed(next<decltype(MPI_Rsend_c)>(Function::MPI_Rsend_c)(buf, count, datatype, dest, tag, comm));
    if (call.counts(error)) {
        sent(call, comm, dest, tag, bytes(count, datatype));
    }
    return error;
}

int MPI_Rsend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Rsend_init);
    const int error = call.timed(next<decltype(MPI_Rsend_init)>(Function::MPI_Rsend_init)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, tag, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Rsend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Rsend_init_c);
    const int error = call.timed(next<decltype(MPI_Rsend_init_c)>(Function::MPI_Rsend_init_c)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, tag, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Send(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Call call(Function::MPI_Send);
    const int error = call.timed(next<decltype(MPI_Send)>(Function::MPI_Send)(buf, count, datatype, dest, tag, comm));
    if (call.counts(error)) {
        sent(call, comm, dest, tag, bytes(count, datatype));
    }
    return error;
}

int MPI_Send_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Call call(Function::MPI_Send_c);
    const int error = call.timed(next<decltype(MPI_Send_c)>(Function::MPI_Send_c)(buf, count, datatype, dest, tag, comm));
    if (call.counts(error)) {
        sent(call, comm, dest, tag, bytes(count, datatype));
    }
    return error;
}

int MPI_Send_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Send_init);
    const int error = call.timed(next<decltype(MPI_Send_init)>(Function::MPI_Send_init)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, tag, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Send_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Send_init_c);
    const int error = call.timed(next<decltype(MPI_Send_init_c)>(Function::MPI_Send_init_c)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, tag, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Sendrecv(const void* sendbuf, int sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, int recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
    Call call(Function::MPI_Sendrecv);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Sendrecv)>(Function::MPI_Sendrecv)(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status));
    if (call.counts(error)) {
        sent(call, comm, dest, sendtag, bytes(sendcount, sendtype));
        received(call, comm, *status);
    } else {
        if (is_too_long(call, error)) { sent(call, comm, dest, sendtag, bytes(sendcount, sendtype)); received_too_long(call, comm, source, recvtag, *status); }
    }
    return error;
}

int MPI_Sendrecv_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, int dest, int sendtag, void* recvbuf, MPI_Count recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
    Call call(Function::MPI_Sendrecv_c);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Sendrecv_c)>(Function::MPI_Sendrecv_c)(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag, comm, status));
    if (call.counts(error)) {
        sent(call, comm, dest, sendtag, bytes(sendcount, sendtype));
        received(call, comm, *status);
    } else {
        if (is_too_long(call, error)) { sent(call, comm, dest, sendtag, bytes(sendcount, sendtype)); received_too_long(call, comm, source, recvtag, *status); }
    }
    return error;
}

int MPI_Sendrecv_replace(void* buf, int count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
    Call call(Function::MPI_Sendrecv_replace);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Sendrecv_replace)>(Function::MPI_Sendrecv_replace)(buf, count, datatype, dest, sendtag, source, recvtag, comm, status));
    if (call.counts(error)) {
        sent(call, comm, dest, sendtag, bytes(count, datatype));
        received(call, comm, *status);
    } else {
        if (is_too_long(call, error)) { sent(call, comm, dest, sendtag, bytes(count, datatype)); received_too_long(call, comm, source, recvtag, *status); }
    }
    return error;
}

int MPI_Sendrecv_replace_c(void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag, MPI_Comm comm, MPI_Status* status) {
    Call call(Function::MPI_Sendrecv_replace_c);
    MPI_Status own_status;
    status = status == MPI_STATUS_IGNORE ? &own_status : status;
    const int error = call.timed(next<decltype(MPI_Sendrecv_replace_c)>(Function::MPI_Sendrecv_replace_c)(buf, count, datatype, dest, sendtag, source, recvtag, comm, status));
    if (call.counts(error)) {
        sent(call, comm, dest, sendtag, bytes(count, datatype));
        received(call, comm, *status);
    } else {
        if (is_too_long(call, error)) { sent(call, comm, dest, sendtag, bytes(count, datatype)); received_too_long(call, comm, source, recvtag, *status); }
    }
    return error;
}

int MPI_Ssend(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Call call(Function::MPI_Ssend);
    const int error = call.timed(next<decltype(MPI_Ssend)>(Function::MPI_Ssend)(buf, count, datatype, dest, tag, comm));
    if (call.counts(error)) {
        sent(call, comm, dest, tag, bytes(count, datatype));
    }
    return error;
}

int MPI_Ssend_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    Call call(Function::MPI_Ssend_c);
    const int error = call.timed(next<decltype(MPI_Ssend_c)>(Function::MPI_Ssend_c)(buf, count, datatype, dest, tag, comm));
    if (call.counts(error)) {
        sent(call, comm, dest, tag, bytes(count, datatype));
    }
    return error;
}

int MPI_Ssend_init(const void* buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ssend_init);
    const int error = call.timed(next<decltype(MPI_Ssend_init)>(Function::MPI_Ssend_init)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, tag, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Ssend_init_c(const void* buf, MPI_Count count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
    Call call(Function::MPI_Ssend_init_c);
    const int error = call.timed(next<decltype(MPI_Ssend_init_c)>(Function::MPI_Ssend_init_c)(buf, count, datatype, dest, tag, comm, request));
    if (call.counts(error)) {
        send_when_started(call, comm, dest, tag, bytes(count, datatype), *request);
    }
    return error;
}

int MPI_Start(MPI_Request* request) {
    Call call(Function::MPI_Start);
    const int error = call.timed(next<decltype(MPI_Start)>(Function::MPI_Start)(request));
    if (call.counts(error)) {
        started(call, 1, request);
    }
    return error;
}

int MPI_Startall(int count, MPI_Request array_of_requests[]) {
    Call call(Function::MPI_Startall);
    const int error = call.timed(next<decltype(MPI_Startall)>(Function::MPI_Startall)(count, array_of_requests));
    if (call.counts(error)) {
        started(call, count, array_of_requests);
    }
    return error;
}

int MPI_Type_free(MPI_Datatype* datatype) {
    Call call(Function::MPI_Type_free);
    if (datatype != nullptr) forget_datatype(*datatype);
    return call.timed(next<decltype(MPI_Type_free)>(Function::MPI_Type_free)(datatype));
}

}  // namespace fairlead::wrapped
